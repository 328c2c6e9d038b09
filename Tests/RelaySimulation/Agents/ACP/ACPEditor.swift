import HostCore
import RelayProtocol

/// An editor and its person, who sends prompts, answers the agent's questions, and may be faster than clients.
final class ACPEditor {
    /// Prefix of texts that the editor's own person typed.
    static let ownText = "local "

    private unowned let world: World
    private let toProxy: (String) -> Void
    private var arrived: [UInt8] = []
    private var isOver = false
    private var session: String?
    private var lastRequest = 0
    /// The editor's prompt that is not answered.
    private var prompt: String?
    private var opening: (request: String, name: String)?
    /// Permissions of the agent that its dialogs show.
    private var open: Set<Int> = []
    /// The person's choices, by request; nil for a request that was withdrawn.
    private(set) var answers: [Int: String?] = [:]

    init(world: World, toProxy: @escaping (String) -> Void = { _ in }) {
        self.world = world
        self.toProxy = toProxy
    }

    func end() { isOver = true }

    func start(resuming known: String?, orAs name: String) {
        send("initialize", #""protocolVersion":1"#)
        let request =
            known.map { send("session/load", #""sessionId":"\#($0)","cwd":"/srv/proj","mcpServers":[]"#) }
            ?? send("session/new", #""cwd":"/srv/\#(name)","mcpServers":[]"#)
        opening = (request, known ?? name)
        goOn()
    }

    @discardableResult
    private func send(_ method: String, _ params: String) -> String {
        lastRequest += 1
        let id = "\"e\(lastRequest)\""
        toProxy(ACPMessage.request(id, method, params))
        return id
    }

    // MARK: What it is shown

    func take(_ bytes: [UInt8]) {
        arrived += bytes
        for message in ACPMessage.lines(of: &arrived) where !isOver {
            switch message {
            case .request(let id, _, _): asked(Int(id))
            case .notification("$/cancel_request", let params): takenBack(params)
            case .notification: break
            case .response(let id, _):
                if id == opening?.request { (session, opening) = (opening?.name, nil) }
                if id == prompt { prompt = nil }
            }
        }
    }

    private func asked(_ id: Int?) {
        guard let id else { preconditionFailure("the agent's requests have numbers") }
        open.insert(id)
        if world.dice.chance(0.5) { answer(id, within: 300...20_000) }
    }

    /// The person has to answer, because no client will.
    func hasToAnswer(_ id: Int) { answer(id, within: 100...5_000) }

    private func answer(_ id: Int, within wait: ClosedRange<Int64>) {
        world.after(world.dice.within(wait)) { [self] _ in
            guard !isOver, open.remove(id) != nil else { return }
            let option = world.dice.pick(["yes", "yes", "always", "no"])
            world.trace.note(world.now, session ?? "editor", "is answered", "at the editor, \(id): \(option)")
            answers[id] = .some(option)
            toProxy(ACPMessage.result("\(id)", #""outcome":{"outcome":"selected","optionId":"\#(option)"}"#))
        }
    }

    /// True if this is the answer that the person gave to a permission.
    func hasAnswered(_ bytes: [UInt8]) -> Bool {
        var bytes = bytes
        guard case .response(let id, _?)? = ACPMessage.lines(of: &bytes).first else { return false }
        return Int(id).map { answers[$0] != nil } ?? false
    }

    private func takenBack(_ params: JSONValue?) {
        guard let id = params?.optional("requestId").flatMap({ Int(String(decoding: $0.bytes, as: UTF8.self)) }) else { return }
        if open.remove(id) != nil { toProxy(ACPMessage.failure("\(id)", -32_800, "it was taken back")) }
    }

    // MARK: What its person does

    private func goOn() {
        let pace = world.shape.pace
        world.after(world.dice.within(pace / 2...6 * pace)) { [self] _ in
            guard !isOver else { return }
            if let session, !world.isCalm { act(in: session) }
            goOn()
        }
    }

    private func act(in session: String) {
        guard prompt == nil else {
            // The protocol requires open dialogs to be answered on a cancel.
            if world.dice.chance(0.1) {
                toProxy(ACPMessage.notification("session/cancel", #""sessionId":"\#(session)""#))
                for id in open.sorted() { toProxy(ACPMessage.result("\(id)", #""outcome":{"outcome":"cancelled"}"#)) }
                open = []
            }
            return
        }
        let text = world.name(Self.ownText)
        prompt = send("session/prompt", #""sessionId":"\#(session)","prompt":[{"type":"text","text":"\#(text)"}]"#)
    }
}
