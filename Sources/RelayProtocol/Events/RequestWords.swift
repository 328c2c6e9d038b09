/// Texts for an alert about a request: written by the host, as nothing behind it reads the input.
///
/// They are named like a device's wishes (`PushText`). If there is no text, the request's title is used.
package struct RequestWords: Sendable, Equatable {
    /// No notification holds more, as JSON without the quotes; a host measures plain UTF-8.
    package static let bytesMax = 3_000
    /// A notification that was opened shows about so much at once; of what must be scrolled for, the end is not seen.
    package static let linesMax = 20

    /// The whole question, part by part; nil if no alert can show all of it.
    package var full: String?
    /// The command of a tool that runs one, and nothing else of its input.
    package var summary: String?
    /// `full` hides nothing, and cannot be read as something else: it may be allowed from there.
    package var isWhole = false

    package init(full: String? = nil, summary: String? = nil, isWhole: Bool = false) {
        self.full = full
        self.summary = summary
        self.isWhole = isWhole
    }

    init(from value: JSONValue) throws(WireError) {
        full = try value.object().optionalString("full", bytesMax: Self.bytesMax)
        summary = try value.optionalString("summary", bytesMax: Self.bytesMax)
        isWhole = try value.flag("whole")
    }

    func write(to writer: inout JSONWriter) {
        writer.field("full", full)
        writer.field("summary", summary)
        writer.flag("whole", isWhole)
    }
}
