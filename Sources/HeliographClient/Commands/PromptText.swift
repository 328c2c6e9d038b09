internal import RelayProtocol

/// The text of a prompt, from the command line.
enum PromptText {
    /// The text; for `-`, all of standard input without the line ends at its end.
    static func read(_ argument: String) throws(ClientError) -> String {
        let bytesMax = WireLimits.textBytesMax
        let text = argument == "-" ? try TextInput.read("-", bytesMax: bytesMax, tooLong: tooLong) : argument
        guard text.contains(where: { !$0.isWhitespace }) else { throw ClientError(.usage, "the prompt is empty") }
        guard text.utf8.count <= bytesMax else { throw tooLong }
        return text
    }

    private static var tooLong: ClientError {
        ClientError(
            .usage, "the prompt is longer than \(WireLimits.textBytesMax) bytes", advice: "Put it into a file, and name that.")
    }
}
