package import HostCore
internal import RelayProtocol

/// One line of `POST /v1/agent/events`: an event of the wire, without a number, or `tool.output`, which is shown and not kept.
package struct LocalEvent: Sendable {
    /// The program's own name of the session.
    let session: String
    /// The program's name, used if its session is not known yet.
    let agent: String?
    let at: Int64?
    private(set) var head: EventHead
    let body: JSONValue?
    /// The tool call of a `tool.output`, whose output is the body's `text`; nil for other lines.
    private(set) var outputOf: String?
    private static let output = "tool.output"

    /// Kinds that programs may send. Questions are asked and settled by other requests, and numbers are given by the host and the
    /// relay.
    private static let kinds: Set<EventKind> = [
        .sessionStarted, .sessionRenamed, .sessionEnded, .statusChanged, .message, .toolStarted, .toolFinished, .fileChanged,
        .todoChanged, .usage, .subagentStarted, .subagentFinished, .error, .truncated,
    ]

    /// The folder of a session's start that does not name the branch checked out there; nil for other events.
    package var unnamedCheckout: String? {
        guard case .sessionStarted(let facts) = head, facts.branch == nil else { return nil }
        return [facts.folder, facts.workingDirectory].compactMap(\.self).first { $0.hasPrefix("/") }
    }

    /// Adds the checkout of `unnamedCheckout`. A project named like its folder was not named by a person.
    package mutating func began(in checkout: Checkout) {
        guard let folder = unnamedCheckout, case .sessionStarted(var facts) = head else { return }
        facts.branch = checkout.branch.map { TextCut.line($0) }
        if facts.project == nil || facts.project == ShownPaths.last(folder) {
            facts.project = TextCut.line(checkout.repository)
        }
        head = .sessionStarted(facts)
    }

    /// Reads all lines, or throws. Empty lines are skipped.
    package static func all(in bytes: [UInt8]) throws(LocalError) -> [LocalEvent] {
        guard bytes.count <= LocalLimits.requestBytesMax else {
            throw LocalError(.wire(.outOfRange), at: "$", "longer than \(LocalLimits.requestBytesMax) bytes")
        }
        var events: [LocalEvent] = []
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else { continue }
            do throws(LocalError) {
                guard events.count < LocalLimits.linesMax else {
                    throw LocalError(.wire(.outOfRange), at: "$", "more than \(LocalLimits.linesMax) events")
                }
                events.append(try LocalEvent(parsing: Array(line)))
            } catch {
                var error = error
                error.line = index + 1
                throw error
            }
        }
        return events
    }

    package init(parsing line: [UInt8]) throws(LocalError) {
        let root = try LocalError.reading { () throws(WireError) in try JSONDocument(parsing: line).root.object() }
        let kind: String
        (session, agent, at, kind) = try LocalError.reading { () throws(WireError) in
            (
                try root.name("session"), try root.optionalString("agent", bytesMax: WireLimits.nameBytesMax),
                try root.optionalInteger("at"), try root.string("kind", bytesMax: WireLimits.nameBytesMax)
            )
        }
        guard kind != Self.output else {
            head = .unsupported(kind: kind)
            outputOf = try LocalError.reading { () throws(WireError) in
                let call = try root.required("head").object().string("call", bytesMax: WireLimits.nameBytesMax)
                guard !call.isEmpty else { throw WireError(.badValue, at: "$.head.call", "this is empty") }
                return call
            }
            body = try LocalError.reading { () throws(WireError) in
                let body = try root.required("body").object()
                _ = try body.string("text", bytesMax: LocalLimits.outputBytesMax)
                return body
            }
            return
        }
        guard let known = EventKind(rawValue: kind), Self.kinds.contains(known) else {
            throw LocalError(.notYours, at: "$.kind", "a program sends no events of this kind")
        }
        head = try LocalError.reading { () throws(WireError) in
            let head = root.optional("head")
            let event = JSONWriter.object {
                $0.field("kind", kind)
                $0.field("at", 0)
                $0.raw("head", head.map { Array($0.bytes) } ?? Array("{}".utf8))
            }
            return try Event(stored: event).head
        }
        if case .statusChanged(.stale, _) = head {
            throw LocalError(.notYours, at: "$.head.status", "only the relay knows that")
        }
        body = root.optional("body")
        if let body { _ = try LocalError.reading { () throws(WireError) in try body.object() } }
    }
}

extension JSONValue {
    /// Reads a name that must not be empty.
    func name(_ key: StaticString) throws(WireError) -> String {
        let text = try string(key, bytesMax: LocalLimits.nameBytesMax)
        guard !text.isEmpty else { throw WireError(.badValue, at: "\(path).\(key)", "this is empty") }
        return text
    }
}
