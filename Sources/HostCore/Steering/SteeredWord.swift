package import RelayProtocol

/// Requests over the local socket of a program that runs a session, so that it can be steered.
///
/// | request | body |
/// |---|---|
/// | `steering` | `session`, `offer` as in `steering.offered`, `standing`: `idle`, `busy` or `waiting` |
/// | `steering/next` | `session` |
/// | `steered` | `session`, `client`, `command`, `stage`: `given`, `taken`, `refused` or `unknown`, `reason`? |
///
/// Each may have `run`: the run of the program that sends it.
package enum SteeredWord: Sendable, Equatable {
    case stands(SteeringOffer, SteeringStanding)
    case waits
    case told(SteeringChange)

    /// Paths below `/v1/agent/`.
    package static let paths: Set<String> = ["steering", "steering/next", "steered"]

    package var path: String {
        switch self {
        case .stands: "steering"
        case .waits: "steering/next"
        case .told: "steered"
        }
    }

    /// The request's body as `read` accepts it. `session`: the program's name for it, or, with `adapter`, that adapter's session.
    package func bytes(in session: String, of adapter: String? = nil, by run: ProgramRun? = nil) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("session", session)
            writer.field("adapter", adapter)
            if let run { writer.object("run") { run.write(to: &$0) } }
            switch self {
            case .stands(let offer, let standing):
                writer.object("offer") { offer.write(to: &$0) }
                writer.field("standing", standing.rawValue)
            case .waits: break
            case .told(let change): change.write(to: &writer)
            }
        }
    }

    /// Nil if it is not a request about steering. `session`: the program's name for it.
    package static func read(
        _ path: String, _ body: [UInt8]
    ) throws(WireError) -> (session: String, word: SteeredWord, run: ProgramRun?)? {
        guard paths.contains(path) else { return nil }
        let root = try JSONDocument(parsing: body).root.object()
        let session = try root.string("session", bytesMax: 256)
        guard !session.isEmpty else { throw WireError(.badValue, at: "$.session", "this is empty") }
        let run = try root.optional("run").map { value throws(WireError) in try ProgramRun(from: value) }
        return (session, try word(path, root), run)
    }

    private static func word(_ path: String, _ root: JSONValue) throws(WireError) -> SteeredWord {
        switch path {
        case "steering/next": return .waits
        case "steered":
            let stage = try root.word("stage", SteeringStage.self)
            // Only the host queues and withdraws commands.
            guard stage != .queued, stage != .withdrawn else {
                throw WireError(.badValue, at: "$.stage", "a program says given, taken, refused or unknown")
            }
            let reason = try root.optionalString("reason").map { TextCut.line(cleaner.clean($0)) }
            return .told(SteeringChange(try SteeringName(from: root), stage, reason: reason))
        default:
            var offer = try SteeringOffer(from: root.required("offer"))
            // Only the host offers projects and agents that can be started.
            (offer.projects, offer.agents) = (nil, [])
            offer.reason = offer.reason.map { TextCut.line(cleaner.clean($0)) }
            return .stands(offer, try root.word("standing"))
        }
    }

    /// Adapter whose session the request is about; nil if it is a program's own, or cannot be read.
    package static func adapter(in body: [UInt8]) -> String? { (try? JSONDocument(parsing: body))?.root.text("adapter") }

    private static let cleaner = Cleaner()
}
