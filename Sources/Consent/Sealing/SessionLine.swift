internal import RelayProtocol

/// The texts of a session's summary, for its host's devices: lists and pushes show them.
///
/// `{"title"?,"project"?,"cwd"?,"folder"?,"branch"?,"operation"?,"asks"?,"file"?,"current"?,"reason"?,"error"?,"from"?}`
package struct SessionLine: Sendable, Equatable {
    /// Fits the wire once it is sealed and in base64url.
    package static let bytesMax = 1 << 10

    package var title: String?
    package var project: String?
    package var workingDirectory: String?
    /// The full path, if `cwd` is shortened with `~`.
    package var folder: String?
    package var branch: String?
    package var operation: String?
    /// The title of the oldest request that waits for a decision.
    package var asks: String?
    package var file: String?
    /// The current task of the agent's list.
    package var current: String?
    package var reason: String?
    package var error: String?
    /// First of the session's events that its host sealed, if it reported earlier ones in the open.
    package var from: Int64?

    package init() {}

    package init(parsing bytes: [UInt8]) throws(ConsentError) {
        guard bytes.count <= Self.bytesMax else {
            throw ConsentError(.badLength, at: "line", "longer than \(Self.bytesMax) bytes")
        }
        do throws(WireError) {
            let line = try JSONDocument(parsing: bytes).root.object()
            title = try line.optionalString("title")
            project = try line.optionalString("project")
            workingDirectory = try line.optionalString("cwd")
            folder = try line.optionalString("folder")
            branch = try line.optionalString("branch")
            operation = try line.optionalString("operation")
            asks = try line.optionalString("asks")
            file = try line.optionalString("file")
            current = try line.optionalString("current")
            reason = try line.optionalString("reason")
            error = try line.optionalString("error")
            from = try line.optionalInteger("from", in: 1...JSONValue.integerMax)
        } catch { throw ConsentError(error) }
    }

    package var bytes: [UInt8] {
        JSONWriter.object {
            $0.field("title", title)
            $0.field("project", project)
            $0.field("cwd", workingDirectory)
            $0.field("folder", folder)
            $0.field("branch", branch)
            $0.field("operation", operation)
            $0.field("asks", asks)
            $0.field("file", file)
            $0.field("current", current)
            $0.field("reason", reason)
            $0.field("error", error)
            $0.field("from", from)
        }
    }
}
