internal import AgentCodex
internal import HeliographHook
internal import HeliographPlatform
internal import HostCore
internal import Logging
internal import RelayProtocol
internal import WebSocketEngine

/// Keeps a WebSocket to Codex's app-server while Codex is connected and that server runs. The server comes and goes with its user,
/// so it is looked for once a second, by `stat` alone.
final class CodexDriver: AgentDriver, ClientHandler {
    private static let lookEvery = Duration.seconds(1)
    /// Longest time between two tries of a server that does not accept us; it doubles from `lookEvery`.
    private static let retryMax = Duration.seconds(30)
    /// Bytes of one message: a turn with the output of its commands. A longer one ends the connection.
    private static let messageBytesMax = 16 << 20
    /// First token for Codex's questions, apart from those of the local socket, which count up from one.
    private static let firstToken: UInt64 = 0xC0DE << 48

    private let seat: DriverSeat
    private let paths: HostPaths
    private let links: LinkLook
    private var settings: CodexSettings?
    private var settingsStamp: FileStamp?
    private var connection: ConnectionID?
    private var isOpen = false
    private var retryAt: Int64 = .min
    private var retryWait = CodexDriver.lookEvery
    private var lastError: CodexSocket.AddressError?
    private var isStarting = false
    private var lastToken = CodexDriver.firstToken
    /// The token before the first of this connection.
    private var tokenBefore = CodexDriver.firstToken

    init(_ seat: DriverSeat, _ paths: HostPaths) {
        self.seat = seat
        self.paths = paths
        links = LinkLook(seat.loop)
        // The host's start is finished before its agents are looked for.
        seat.loop.schedule(after: .milliseconds(1)) { [weak self] in self?.look() }
    }

    // MARK: Looking for the server

    private func look() {
        seat.loop.schedule(after: Self.lookEvery) { [weak self] in self?.look() }
        readSettings()
        if settings == nil, let connection { seat.loop.close(connection, code: 1000, reason: "disconnected") }
        connectIfThere()
    }

    private func connectIfThere() {
        guard let settings, connection == nil, HostInstant.now.monotonic >= retryAt else { return }
        do throws(CodexSocket.AddressError) {
            connect(to: try CodexSocket(home: settings.home))
            lastError = nil
        } catch {
            if error != lastError, case .unsafe(let words) = error {
                seat.logger.error("Codex's app-server is not talked to", metadata: ["reason": "\(words)"])
            }
            lastError = error
        }
    }

    private func readSettings() {
        let stamp = FileStamp(of: CodexSettings.file(paths))
        guard stamp != settingsStamp else { return }
        settingsStamp = stamp
        do throws(HostError) {
            settings = try CodexSettings.load(paths)
        } catch {
            seat.logger.error("Codex is not watched", metadata: ["error": "\(error)"])
            settings = nil
        }
    }

    private func connect(to socket: CodexSocket) {
        var configuration = ClientConfiguration(unixPath: socket.path)
        configuration.limits.messageBytesMax = Self.messageBytesMax
        do throws(WebSocketEngineError) {
            connection = try seat.loop.connect(configuration, handler: self)
        } catch {
            waitLonger("\(error)")
        }
    }

    private func waitLonger(_ reason: String) {
        // Logged once: a server that has ended leaves its socket behind.
        if retryWait == Self.lookEvery { seat.logger.info("not connected to Codex", metadata: ["reason": "\(reason)"]) }
        retryAt = HostInstant.now.monotonic + retryWait.milliseconds
        retryWait = min(retryWait * 2, Self.retryMax)
    }

    // MARK: Starting it

    /// Starts Codex's server, only for a client that starts a thread: a person at the terminal starts it by starting Codex.
    private func startServer() {
        // A running server says hello in a moment, and one that is being started serves this request as well.
        guard !isOpen, !isStarting else { return }
        readSettings()
        guard let home = settings?.home else {
            return seat.tell(CodexFact.notStarted("Codex is not connected on that machine: `heliograph connect codex` there"))
        }
        let (bound, handle) = (LoopBound(self, loop: seat.loop), seat.loop.handle)
        isStarting = BackgroundThread.start {
            let failure = CodexServer.start(home: home)
            handle.execute { bound.value.started(failure) }
        }
        if !isStarting { seat.tell(CodexFact.notStarted("the host could start no thread")) }
    }

    private func started(_ failure: String?) {
        isStarting = false
        if let failure {
            seat.logger.warning("Codex's server was not started", metadata: ["reason": "\(failure)"])
            return seat.tell(CodexFact.notStarted(failure))
        }
        seat.logger.info("Codex's server was started, or runs")
        retryAt = .min
        retryWait = Self.lookEvery
        connectIfThere()
    }

    // MARK: The connection

    func opened(_ connection: ConnectionID, subprotocol: String?) {
        guard connection == self.connection else { return }
        isOpen = true
        tokenBefore = lastToken
        seat.logger.info("connected to Codex")
        seat.tell(CodexFact.connected)
    }

    func received(_ message: IncomingMessage, on connection: ConnectionID) {
        guard connection == self.connection else { return }
        do throws(WireError) {
            let document = try JSONDocument(parsing: message.bytes)
            // A peer that greets us is the server that we look for.
            retryWait = Self.lookEvery
            lastToken += 1
            let folder = document.root.optional("result")?.optional("thread")?.text("cwd")
            let checkout = folder.flatMap { CheckoutReader.read($0, home: HostPaths.variable("HOME")) }
            seat.tell(CodexFact.received(document, HookToken(rawValue: lastToken), checkout))
        } catch {
            // A request that was not understood stays at the terminal.
            seat.logger.warning("a message of Codex was not understood", metadata: ["code": "\(error.code.rawValue)"])
        }
    }

    func closed(_ connection: ConnectionID, reason: CloseReason) {
        guard connection == self.connection else { return }
        self.connection = nil
        waitLonger("\(reason)")
        guard isOpen else { return }
        isOpen = false
        tokenBefore = lastToken
        seat.tell(CodexFact.disconnected)
    }

    // MARK: Orders

    func carryOut(_ order: any Sendable) {
        guard let order = order as? CodexOrder else { preconditionFailure("the host gives each driver its own orders") }
        if case .startServer = order { return startServer() }
        if case .findLinks(let token, let paths, let folder) = order {
            return links.find(paths, in: folder) { [weak self] in self?.seat.tell(CodexFact.linksFound(token, $0)) }
        }
        guard let connection, isOpen else { return }
        switch order {
        case .startServer, .findLinks: break
        case .send(let bytes): seat.loop.send(OutgoingMessage(text: bytes), to: connection)
        case .hangUp: seat.loop.close(connection, code: 1000, reason: "not understood")
        }
    }

    func respond(_ token: HookToken, _ output: [UInt8]?) -> Bool {
        guard token.rawValue > Self.firstToken else { return false }
        // Questions of an earlier connection are asked again on this one.
        if let output, let connection, isOpen, token.rawValue > tokenBefore {
            seat.loop.send(OutgoingMessage(text: output), to: connection)
        }
        return true
    }

    // MARK: Hooks: none

    func answers(_ event: String) -> Bool { false }
    func hookCalled(_ report: HookReport) {}
    func statusLineShown(_ line: JSONDocument, process: AgentProcess?) {}
    func callerGone(_ token: HookToken) {}
}
