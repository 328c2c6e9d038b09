/// Texts for an alert about a request, written by the host, as nothing after the host reads the tool's input.
///
/// Their names match the values of `PushText`. If there is no text, the request's title is used.
package struct RequestWords: Sendable, Equatable {
    /// Limit in bytes: no notification holds more, as JSON without the quotes; a host measures plain UTF-8.
    package static let bytesMax = 3_000
    /// Lines that an opened notification shows without scrolling. If it must be scrolled, its end may not be seen.
    package static let linesMax = 20

    /// The whole question, part by part; nil if it is too long for an alert.
    package var full: String?
    /// The command, for a tool that runs one, and nothing else of its input.
    package var summary: String?
    /// `full` hides nothing and cannot be misread: the request may be allowed from the alert.
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
