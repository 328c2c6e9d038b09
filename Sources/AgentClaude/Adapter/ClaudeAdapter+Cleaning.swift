internal import HostCore
internal import RelayProtocol

extension ClaudeAdapter {
    func clean(_ text: String) -> String { cleaner.clean(text) }
    func cleanWhole(_ text: String, bytesMax: Int) -> String? { cleaner.cleanWhole(text, bytesMax: bytesMax) }
    func clean(_ text: String, bytesMax: Int) -> String { cleaner.clean(text, bytesMax: bytesMax) }
    func cleanEnds(_ text: String, bytesMax: Int) -> String { cleaner.cleanEnds(text, bytesMax: bytesMax) }

    func clean(_ input: JSONValue, of tool: String, bytesMax: Int) -> (json: [UInt8], isRedacted: Bool, isCut: Bool) {
        cleaner.clean(input, of: tool, bytesMax: bytesMax)
    }
}
