internal import CHeliographLibwebsockets
internal import CHeliographLinux
internal import Glibc
package import Logging
internal import Synchronization

/// One thread, one libwebsockets context: sockets in, whole messages out.
///
/// Not Sendable: made on its thread and confined to it; `handle` is for all others. Every callback to a handler comes on this
/// thread, and every method may be called from within a callback, because none of them makes libwebsockets call back at once.
@safe package final class EventLoop {
    package struct Configuration: Sendable {
        /// The name of the thread; Linux keeps 15 bytes.
        package var name = "heliograph-loop"

        /// The number of the loop in its group; 0 is the main or only one.
        var number = 0

        /// Descriptors that stay free below RLIMIT_NOFILE, for the database, push and logs.
        package var fileDescriptorReserve = 64

        /// The process's soft RLIMIT_NOFILE is lowered to this. libwebsockets keeps tables of that size and, as Debian builds 4.1.6,
        /// scans one of them whenever a socket closes: a millisecond if the limit is a million.
        package var descriptorsMax = 1 << 20

        /// Largest headers of one request, with room for cookies and tokens; browsers and proxies stop at 8 kB too. Larger ones are
        /// answered with 431.
        package var headerBytesMax: UInt16 = 8192

        /// Size of libwebsockets' header buffer. It drops the connection without a response when headers exceed this, so we leave room to
        /// answer
        /// 431. Limited to 16 bits.
        var headerBytesRead: UInt32 { min(2 * UInt32(headerBytesMax), 63 << 10) }

        /// Idle time allowed between requests of an HTTP connection.
        package var keepAliveSeconds: Int32 = 20

        /// The preferred method; `EventLoop.waitMethod` is the one in use. Loading the plug-in takes a millisecond, which does not
        /// pay for a loop of few sockets.
        package var waitMethod = WaitMethod.poll

        package init() {}
    }

    package let handle = EventLoopHandle()

    /// Number of written connections from which the tick waits for their answers, so that they belong to it.
    package static let manyWrites = 64
    /// The wait is one part in this many of the time that the writes took.
    private static let lingerPart: Int64 = 8

    /// Nanoseconds after the first input of a turn at which its output is written in between (an interlude): when hundreds connect
    /// or leave at once, the others do not wait for all of them.
    private static let interludeAfter: Int64 = 1_000_000

    /// Called before a turn's output is written, if a handler was called in the turn; and again if writing called one.
    package var inputsEnded: (() -> Void)?

    /// Called after each turn in which a handler, a timer or an `execute` body ran: the tick.
    package var turnEnded: (() -> Void)?

    /// Returns true if the tick should wait for more input after many connections were written to. Without it, it waits.
    package var hasMoreToGather: (() -> Bool)?

    /// The method in use: `poll` also if `epoll` was preferred and is not available.
    package var waitMethod: WaitMethod { epoll == nil ? .poll : .epoll }

    /// Version of the library that is loaded, which may differ from the one compiled against; `4.1.6-…`.
    package static let libraryVersion = unsafe String(cString: lws_get_library_version())

    /// Number of open and half-open connections of all kinds.
    package var connectionCount: Int { connections.count }

    let configuration: Configuration
    let logger: Logger
    private let thread = pthread_self()

    /// Nil before `run` has made it and after it was destroyed.
    var context: OpaquePointer?
    var storage: ContextStorage
    /// Nil if the loop waits in poll(2).
    private var epoll: EpollWait?
    var alarm: TimerAlarm?
    let connections = ConnectionTable()
    var requests: [HTTPRequestID: Connection] = [:]
    var listening: [UInt64: ListenSocket] = [:]
    var departures: DepartureWatch?
    /// The connections whose `isPending` is set: few out of perhaps a hundred thousand, and scanned while these arrive.
    var pending: Set<UInt64> = []

    var turn = TurnOutbox()
    /// The connections that are being written to; a property so that its memory is reused.
    var writes: [ConnectionTable.Write] = []
    /// True if the main loop's inbox is full: connections with more input are not read until there is room.
    var appliesBackpressure = false
    var backpressured: [UInt64] = []
    var unfinished = UnfinishedInput()
    var timers = TimerQueue()
    var due = DueTable()
    /// The step that the next sweep is armed for.
    var sweepStep = DueTable.never
    var sweepTimer: TimerID?
    private var nextID: UInt64
    private(set) var isStopping = false
    private var hasActivity = false
    private var tickDelay = TickDelay()
    /// True if the last turn had activity.
    private var wasActive = false
    /// True while sockets are being served.
    private var isServing = false
    /// Time of the first handler call since the turn or its last interlude began.
    private var firstServed: MonotonicTime?
    /// True if an interlude is to run when the current socket is done.
    private var isInterludeDue = false
    /// An alarm that is only nudged, never set: it must not be pending for another reason when an interlude is due. With epoll
    /// only.
    private(set) var interludeCall: TimerAlarm?
    private var expedited: ExpeditedSockets?
    private var afterCallback: [() -> Void] = []
    private var handedIn: [@Sendable () -> Void] = []

    /// Runs a loop until `stop()`: blocks the calling thread and sets its name. `body` runs first, on the loop's thread, and sets
    /// everything up; if it throws, everything is torn down and the error is rethrown.
    package static func run(
        _ configuration: Configuration = .init(), logger: Logger, _ body: (EventLoop) throws -> Void
    ) throws {
        let loop = try EventLoop(configuration, logger: logger)
        // libwebsockets holds an unretained pointer to the loop and calls back while it is destroyed.
        try withExtendedLifetime(loop) {
            defer { loop.tearDown() }
            try body(loop)
            loop.spin()
        }
    }

    private init(_ configuration: Configuration, logger: Logger) throws(WebSocketEngineError) {
        self.configuration = configuration
        self.logger = logger
        self.storage = ContextStorage()
        nextID = UInt64(configuration.number) << ConnectionID.countBits | 1
        unsafe clinux_name_thread(configuration.name)
        // A peer that has left is an error of write(2), and must not end the process.
        _ = signal(SIGPIPE, SIG_IGN)
        EngineLog.install(logger)
        boundDescriptors()
        try makeContext()
    }

    // MARK: Turns

    private func spin() {
        while !isStopping {
            setAlarm()
            wasActive = false
            if let epoll {
                isServing = true
                epoll.wait()
                stopServing()
            } else {
                guard unsafe lws_service(context, 0) >= 0 else { break }
            }
            endTurn()
        }
    }

    private func endTurn() {
        runDueTimers()
        runHandedIn()
        if !afterCallback.isEmpty {
            let bodies = afterCallback
            afterCallback = []
            hasActivity = true
            for body in bodies { body() }
        }
        tick()
    }

    /// Runs in the middle of a turn, between two sockets: the rest would delay the output for those already served for too long.
    func interlude() {
        interludeCall?.rang()
        guard isInterludeDue else { return }
        stopServing()
        serveExpedited()
        runHandedIn()
        tick()
        isServing = true
    }

    /// Makes a turn with hundreds of sockets read this connection first. For the few connections whose input many others wait for.
    package func expedite(_ connection: ConnectionID) {
        preconditionOnLoop()
        guard let wsi = unsafe connections[connection.rawValue]?.socket else { return }
        unsafe expedited?.add(connection, descriptor: lws_get_socket_fd(wsi))
    }

    private func serveExpedited() {
        for id in expedited?.ready() ?? [] {
            guard let connection = connections[id], connection.phase == .open, let wsi = unsafe connection.socket,
                !connection.isReadingPaused, !connection.isBackpressured
            else { continue }
            unsafe serveReadable(wsi)
        }
    }

    /// Serves the socket as a turn of the loop would.
    private func serveReadable(_ wsi: OpaquePointer) {
        var ready = unsafe pollfd(fd: lws_get_socket_fd(wsi), events: Int16(LWS_POLLIN), revents: Int16(LWS_POLLIN))
        unsafe lws_service_fd(lws_get_context(wsi), &ready)
    }

    private func stopServing() {
        isServing = false
        isInterludeDue = false
        firstServed = nil
    }

    private func runHandedIn() {
        if handle.take(into: &handedIn) { isStopping = true }
        guard !handedIn.isEmpty else { return }
        hasActivity = true
        for body in handedIn { body() }
        handedIn.removeAll(keepingCapacity: true)
    }

    private func tick() {
        if hasActivity {
            wasActive = true
            inputsEnded?()
        }
        if isStopping { tickDelay.cancel() } else if tickDelay.end != nil { tickDelay.reached(.now) }
        sendBatchesBeforeTick()
        guard hasActivity || tickDelay.holdsTick else { return }
        hasActivity = false
        inputsEnded?()
        guard !tickDelay.holds({ hasMoreToGather?() ?? true }) else { return }
        turnEnded?()
        sendBatches()
    }

    /// Writing to many connections makes them answer, and their answers should belong to one commit: two commits, each with half of
    /// the input, would cost twice the writes. So the tick waits a little after such a turn, but not again for what is written
    /// during the wait.
    private func sendBatchesBeforeTick() {
        let writesMany = turn.newCount >= Self.manyWrites
        guard tickDelay.begins(lingers: writesMany), !isStopping else { return sendBatches() }
        let begun = MonotonicTime.now
        sendBatches()
        let ended = MonotonicTime.now
        tickDelay.wrote(at: ended, lingers: writesMany ? (ended.nanoseconds - begun.nanoseconds) / Self.lingerPart : 0)
    }

    /// Delays the tick for this long after the present turn's output is written, because its recipients' answers belong to the same tick.
    /// A tick that is delayed already is not delayed further.
    package func putOffTick(forNanoseconds nanoseconds: Int64) {
        preconditionOnLoop()
        tickDelay.ask(forNanoseconds: nanoseconds)
    }

    /// The reason to delay ticks is gone: a delay that holds no tick yet ends at `latest`, or now if that is nil.
    package func putOffTick(atMostUntil latest: MonotonicTime?) {
        preconditionOnLoop()
        tickDelay.shorten(to: latest)
    }

    /// Limits the wait to the next timer, or to zero if there is work left.
    private func setAlarm() {
        guard let alarm else { return }
        // If the delayed tick has no input, the next input checks the time itself.
        let tick = tickDelay.holdsTick ? tickDelay.end : nil
        alarm.set(tick.map { min($0, timers.earliest ?? $0) } ?? timers.earliest)
        let hasWork = hasActivity || !afterCallback.isEmpty || turn.restCount > 0
        if let epoll {
            // libwebsockets may have postponed work of the last turn.
            if hasWork || wasActive { alarm.nudge(epoll) }
        } else if hasWork {
            alarm.ring()
        }
    }

    /// Records that a handler is called. libwebsockets also calls back before it waits in poll(2), for its own time-outs: the turn
    /// must then end without waiting.
    ///
    /// `moment` is the current time if the caller has just read the clock, which costs as much as the rest of this.
    func noteActivity(at moment: MonotonicTime? = nil) {
        if isServing { noteService(at: moment) }
        guard !hasActivity else { return }
        hasActivity = true
        if epoll == nil { alarm?.ring() }
    }

    /// Nudges the interlude's alarm when one is due: libev serves the last event fed to it next.
    private func noteService(at moment: MonotonicTime?) {
        guard !isInterludeDue, let epoll, let interludeCall else { return }
        let now = moment ?? .now
        guard let firstServed else { return firstServed = now }
        guard now.nanoseconds - firstServed.nanoseconds > Self.interludeAfter else { return }
        isInterludeDue = true
        interludeCall.nudge(epoll)
    }

    /// Runs `body` at the end of this turn, when no call of libwebsockets is on the stack.
    func runLater(_ body: @escaping () -> Void) {
        afterCallback.append(body)
        noteActivity()
    }

    package func stop() {
        preconditionOnLoop()
        isStopping = true
        noteActivity()
    }

    func makeID() -> UInt64 {
        defer { nextID += 1 }
        return nextID
    }

    func preconditionOnLoop() {
        precondition(pthread_equal(pthread_self(), thread) != 0, "an event loop was used on another thread")
    }

    // MARK: Life

    private func makeContext() throws(WebSocketEngineError) {
        var info = unsafe lws_context_creation_info()
        unsafe info.port = CONTEXT_PORT_NO_LISTEN
        unsafe info.user = Unmanaged.passUnretained(self).toOpaque()
        unsafe info.gid = .init(truncatingIfNeeded: -1)
        unsafe info.uid = .init(truncatingIfNeeded: -1)
        unsafe info.pt_serv_buf_size = UInt32(ContextStorage.readBytes)
        unsafe info.max_http_header_data2 = configuration.headerBytesRead
        // `fd_limit_per_thread` is not set, because it makes 4.1.6 look up every socket by a linear search. We accept ourselves and
        // keep the reserve there.
        unsafe info.retry_and_idle_policy = UnsafePointer(storage.noKeepAlive)
        unsafe clws_log_use(&info, storage.log)
        // Sent only in responses that libwebsockets writes itself. It must not be empty, and its default reveals the library's
        // name.
        unsafe info.server_string = UnsafePointer(storage.intern("heliograph"))
        Self.isTLSSetUp.withLock { isSetUp in
            unsafe context = createContext(&info, clws_context_options(isSetUp ? 0 : 1))
            isSetUp = unsafe isSetUp || context != nil
        }
        guard let context = unsafe context else {
            throw WebSocketEngineError(.initialisationFailed, "libwebsockets could not be started")
        }
        unsafe handle.attach(context)
        unsafe storage.plainVhost = try makeVhost(named: "plain", .plain)
        alarm = try TimerAlarm(loop: self)
        if epoll != nil {
            interludeCall = try TimerAlarm(loop: self)
            expedited = try ExpeditedSockets()
        }
        departures = try DepartureWatch(loop: self)
    }

    /// True once a context of this process has set TLS up.
    private static let isTLSSetUp = Mutex(false)

    /// Uses epoll if that is preferred and available.
    private func createContext(_ info: inout lws_context_creation_info, _ options: UInt64) -> OpaquePointer? {
        unsafe info.options = options
        if configuration.waitMethod == .epoll, let epoll = EpollWait() {
            let context = unsafe epoll.withForeignLoops { loops in
                unsafe info.options = options | clws_libev_option()
                unsafe info.foreign_loops = loops
                return unsafe lws_create_context(&info)
            }
            if unsafe context != nil {
                self.epoll = epoll
                return unsafe context
            }
            unsafe info.options = options
            unsafe info.foreign_loops = nil
        }
        return unsafe lws_create_context(&info)
    }

    private func tearDown() {
        handle.detach()
        isStopping = true
        inputsEnded = nil
        turnEnded = nil
        hasMoreToGather = nil
        let listeners = listening.values.map(\.listener)
        for listener in listeners { stopListening(listener) }
        if let context = unsafe context {
            // Closes every socket; the handlers are told by LWS_CALLBACK_WSI_DESTROY.
            unsafe lws_context_destroy(context)
            unsafe self.context = nil
        }
        epoll = nil
        for connection in connections.values { finish(connection) }
        afterCallback = []
        alarm = nil
        interludeCall = nil
        expedited = nil
        departures = nil
        storage.free()
    }

    /// Lowers the limit of descriptors, which some container engines set to a billion.
    private func boundDescriptors() {
        guard DescriptorLimit.lower(to: UInt64(configuration.descriptorsMax)) else { return }
        logger.info("lowered the limit of open files", metadata: ["limit": "\(configuration.descriptorsMax)"])
    }
}
