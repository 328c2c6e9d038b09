internal import CHeliographLibwebsockets
internal import DequeModule

/// Whole messages in and out of open WebSockets.
extension EventLoop {
    /// Sends a message. A server's is sent at the end of the turn, together with the turn's other messages for that connection; a
    /// large one, and a client's, at once. Messages wait if the peer does not read. No effect if the connection is unknown, closing
    /// or not open yet: its handler learns of the end anyway.
    package func send(_ message: OutgoingMessage, to connection: ConnectionID) {
        send(message, toEach: CollectionOfOne(connection))
    }

    /// Sends the message to each of these, as to one.
    package func send(_ message: OutgoingMessage, to connections: ArraySlice<ConnectionID>) {
        send(message, toEach: connections)
    }

    private func send(_ message: OutgoingMessage, toEach recipients: some Sequence<ConnectionID>) {
        preconditionOnLoop()
        for id in turn.add(message, toReady: recipients, of: &connections.slots) {
            guard let connection = connections[id.rawValue], connection.phase == .open, let wsi = unsafe connection.socket
            else {
                continue
            }
            unsafe send(message, on: connection, wsi)
        }
    }

    private func send(_ message: OutgoingMessage, on connection: Connection, _ wsi: OpaquePointer) {
        let mustWait = !connection.outbox.isEmpty || connection.isPingDue || connection.mayOwePong
        let isFull = turn.bytes(of: connections.batch(of: connection.id)) + message.frameCount > TurnOutbox.batchBytesMax
        if mustWait || isFull {
            // The batch of this turn precedes this message.
            sendBatch(of: connection)
            guard connection.phase == .open else { return }
        }
        if mustWait || !connection.outbox.isEmpty {
            unsafe enqueue(message, on: connection, wsi)
        } else if !connection.isClient, message.frameCount <= TurnOutbox.batchBytesMax {
            turn.add(message, to: connection.id, of: &connections.slots)
        } else if unsafe lws_partial_buffered(wsi) != 0 {
            unsafe enqueue(message, on: connection, wsi)
        } else if unsafe write(message, on: connection, wsi) {
            noteBacklog(of: connection)
        } else {
            failed(connection, "cannot write")
        }
    }

    /// Writes the turn's output, once for each connection that has any.
    ///
    /// Output to thousands is written in parts, between which the loop serves input and ticks: ten thousand writes take 60 ms.
    /// Later output to a few connections does not wait behind them; later output to many does, so that no connection is written to
    /// twice before each was once.
    func sendBatches() {
        guard turn.newCount > 0 || turn.restCount > 0 else { return }
        let new = turn.takeNew(of: &connections.slots)
        if turn.restCount > 0, new.count <= Self.fewWrites {
            for start in stride(from: 0, to: new.count, by: Self.writesAtOnce) {
                sendBatches(of: new[start...].prefix(Self.writesAtOnce))
            }
        } else {
            turn.addToRest(new, of: &connections.slots)
        }
        sendPart()
        turn.clear()
    }

    private func sendPart() {
        // Everything is sent at once if the loop ends, as no later turn would send the rest, or if the rest has reached its limit.
        let isWhole = isStopping || turn.isFull || turn.restCount <= Self.finishedWrites
        let end = isWhole ? nil : MonotonicTime.now + Self.partDuration
        while turn.restCount > 0 {
            sendBatches(of: turn.takeFromRest(Self.writesAtOnce, of: &connections.slots))
            guard let end, turn.restCount > Self.finishedWrites else { continue }
            if MonotonicTime.now >= end { return }
        }
    }

    /// Number of recipients up to which new output is written before the rest.
    private static let fewWrites = 512
    /// Number of recipients up to which output is not split: the commits of a host with a thousand readers would become smaller and
    /// more frequent.
    private static let finishedWrites = 1_024
    private static let partDuration = Duration.milliseconds(1)
    /// Number of connections that are checked before the first of them is written to, and after which the clock is read.
    private static let writesAtOnce = 32

    private func sendBatches(of ids: ArraySlice<UInt64>) {
        connections.slots.takeBatches(of: ids, into: &writes)
        Self.look(at: &writes)
        var batch = TurnOutbox.nothing
        var frames = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
        for write in writes {
            guard write.isReady else {
                if let connection = connections[write.id] { send(write.batch, on: connection) }
                batch = TurnOutbox.nothing
                continue
            }
            if write.batch != batch {
                batch = write.batch
                unsafe frames = turn.frames(of: batch)
            }
            let written = unsafe FrameWriter.write(frames, to: write.socket, write.descriptor)
            guard written != .sent, let connection = connections[write.id], let wsi = unsafe connection.socket else {
                continue
            }
            if unsafe !took(written, frames.count, on: connection, wsi) { failed(connection, "cannot write") }
            noteBacklog(of: connection)
        }
    }

    /// Clears `isReady` for connections with buffered output. libwebsockets is asked for all before the first write, so that the
    /// processor waits for cache misses once, not for each.
    private static func look(at writes: inout [ConnectionTable.Write]) {
        for index in writes.indices where writes[index].isReady {
            writes[index].isReady = unsafe lws_partial_buffered(writes[index].socket) == 0
        }
    }

    /// Sends the connection's batch of this turn.
    func sendBatch(of connection: Connection) {
        let batch = connections.takeBatch(of: connection.id)
        if batch != TurnOutbox.nothing { send(batch, on: connection) }
    }

    private func send(_ batch: TurnOutbox.Batch, on connection: Connection) {
        guard connection.phase == .open, let wsi = unsafe connection.socket else { return }
        guard connection.outbox.isEmpty, !connection.isPingDue, unsafe lws_partial_buffered(wsi) == 0 else {
            for message in turn.messages(of: batch) where connection.phase == .open {
                unsafe enqueue(message, on: connection, wsi)
            }
            return
        }
        if unsafe !write(turn.frames(of: batch), on: connection, wsi) { failed(connection, "cannot write") }
        noteBacklog(of: connection)
    }

    private func enqueue(_ message: OutgoingMessage, on connection: Connection, _ wsi: OpaquePointer) {
        connection.outbox.append(message)
        connection.outboxBytes += message.count
        let limits = connection.limits
        if connection.outboxBytes + connection.inFlightBytes > limits.outboxBytesMax
            || connection.outbox.count > limits.outboxMessagesMax
        {
            fellBehind(connection)
        } else if connection.outbox.count == 1 {
            unsafe lws_callback_on_writable(wsi)
        }
        noteBacklog(of: connection)
    }

    /// Tells the handler, at the end of the turn, when the connection becomes congested and when it has drained.
    private func noteBacklog(of connection: Connection) {
        let waiting = connection.outboxBytes + connection.inFlightBytes
        guard waiting > 0 || connection.isCongested, connection.phase == .open else { return }
        if !connection.isCongested, waiting > connection.limits.congestedBytes {
            connection.isCongested = true
            runLater { [self] in tell(connection, isCongested: true) }
        } else if connection.isCongested, waiting <= connection.limits.drainedBytes {
            connection.isCongested = false
            runLater { [self] in tell(connection, isCongested: false) }
        }
    }

    private func tell(_ connection: Connection, isCongested: Bool) {
        guard connection.phase == .open else { return }
        switch connection.role {
        case .server(let listener):
            if isCongested { listener.handler.congested(connection.id) } else { listener.handler.drained(connection.id) }
        case .client(let handler, _):
            if isCongested { handler.congested(connection.id) } else { handler.drained(connection.id) }
        }
    }

    /// Bytes that wait for the end of the turn or for a slow peer; a half-sent message counts in full.
    package func outboxBytes(of connection: ConnectionID) -> Int {
        preconditionOnLoop()
        return connections[connection.rawValue].map { outboxBytes(of: $0) } ?? 0
    }

    func outboxBytes(of connection: Connection) -> Int {
        turn.bytes(of: connections.batch(of: connection.id)) + connection.outboxBytes + connection.inFlightBytes
    }

    /// Stops reading from the peer, whose sends then stall. Its liveness is not checked until reading resumes.
    package func pauseReading(_ connection: ConnectionID) {
        preconditionOnLoop()
        guard let connection = connections[connection.rawValue], connection.phase == .open, !connection.isReadingPaused,
            let wsi = unsafe connection.socket
        else { return }
        connection.isReadingPaused = true
        if !connection.isBackpressured { unsafe lws_rx_flow_control(wsi, 0) }
    }

    package func resumeReading(_ connection: ConnectionID) {
        preconditionOnLoop()
        guard let connection = connections[connection.rawValue], connection.isReadingPaused else { return }
        resumeReading(connection)
    }

    func resumeReading(_ connection: Connection) {
        guard connection.isReadingPaused, let wsi = unsafe connection.socket else { return }
        connection.isReadingPaused = false
        connection.lastHeard = .now
        if connection.messageBegan != nil { connection.messageBegan = connection.lastHeard }
        if !connection.isBackpressured { unsafe lws_rx_flow_control(wsi, 1) }
    }

    /// Like `pauseReading`, until `letGo`: the main loop's inbox has no room for this connection's input.
    private func backpressure(_ connection: Connection, _ wsi: OpaquePointer) {
        guard connection.phase == .open, !connection.isBackpressured else { return }
        connection.isBackpressured = true
        backpressured.append(connection.id.rawValue)
        if !connection.isReadingPaused { unsafe lws_rx_flow_control(wsi, 0) }
    }

    /// Called when the main loop's inbox has room again: resumes reading on all connections stopped for that.
    func letGo() {
        appliesBackpressure = false
        for id in backpressured {
            guard let connection = connections[id] else { continue }
            letGo(connection)
        }
        backpressured = []
    }

    func letGo(_ connection: Connection) {
        guard connection.isBackpressured, let wsi = unsafe connection.socket else { return }
        connection.isBackpressured = false
        connection.lastHeard = .now
        if connection.messageBegan != nil { connection.messageBegan = connection.lastHeard }
        if !connection.isReadingPaused { unsafe lws_rx_flow_control(wsi, 1) }
    }

    // MARK: In

    /// Handles a piece of a message. A frame may come in several pieces, a message in several frames.
    func receive(_ input: UnsafeMutableRawBufferPointer, on connection: Connection, _ wsi: OpaquePointer) {
        guard connection.phase == .open else { return }
        let now = MonotonicTime.now
        connection.lastHeard = now
        let piece = MessageAssembly.Piece(
            kind: unsafe lws_frame_is_binary(wsi) != 0 ? .binary : .text, isFirst: unsafe lws_is_first_fragment(wsi) != 0,
            isLast: unsafe lws_is_final_fragment(wsi) != 0, remaining: unsafe lws_remaining_packet_payload(wsi))
        switch unsafe connection.assembly.add(UnsafeRawBufferPointer(input), piece, connection.limits) {
        case .incomplete:
            beganMessage(on: connection, at: now)
            countUnfinished(of: connection)
        case .violation(let code, let sentence): violated(connection, code: code, sentence)
        case .complete(let message):
            connection.messageBegan = nil
            countUnfinished(of: connection)
            if connection.assembly.isFragmented { unsafe letPongGoFirst(connection, wsi) }
            noteActivity(at: now)
            if let listener = connection.listener {
                listener.handler.received(message, on: connection.id)
            } else if case .client(let handler, _) = connection.role {
                handler.received(message, on: connection.id)
            }
        }
        if appliesBackpressure { unsafe backpressure(connection, wsi) }
    }

    private func letPongGoFirst(_ connection: Connection, _ wsi: OpaquePointer) {
        // The batch of this turn is sent before the answer to this input.
        sendBatch(of: connection)
        guard connection.phase == .open else { return }
        connection.mayOwePong = true
        unsafe lws_callback_on_writable(wsi)
    }

    // MARK: Out

    /// LWS_CALLBACK_SERVER_WRITEABLE, which libwebsockets also calls without a request.
    func flush(_ connection: Connection, _ wsi: OpaquePointer) -> Int32 {
        guard connection.phase == .open || connection.phase == .closing else { return 0 }
        guard unsafe lws_partial_buffered(wsi) == 0 else { return 0 }
        connection.inFlightBytes = 0
        connection.mayOwePong = false
        if connection.isPingDue {
            connection.isPingDue = false
            guard unsafe ping(wsi) else { return -1 }
        }
        while unsafe lws_partial_buffered(wsi) == 0, let message = connection.outbox.popFirst() {
            connection.outboxBytes -= message.count
            guard unsafe write(message, on: connection, wsi) else { return -1 }
        }
        if let frame = connection.closeFrame, connection.outbox.isEmpty, unsafe lws_partial_buffered(wsi) == 0 {
            connection.closeFrame = nil
            unsafe setCloseReason(wsi, code: frame.code, frame.reason)
            return -1
        }
        if !connection.outbox.isEmpty { unsafe lws_callback_on_writable(wsi) }
        noteBacklog(of: connection)
        return 0
    }

    private func write(_ message: OutgoingMessage, on connection: Connection, _ wsi: OpaquePointer) -> Bool {
        guard connection.isClient else { return unsafe write(message.frame, on: connection, wsi) }
        let headroom = Int(CLWS_PRE)
        return unsafe withUnsafeTemporaryAllocation(byteCount: headroom + message.maskedFrameCount, alignment: 16) { buffer in
            let frame = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[headroom...])
            unsafe message.writeFrame(maskedBy: .random(in: .min ... .max), to: frame)
            return unsafe write(frame, on: connection, wsi)
        }
    }

    /// Writes whole frames. libwebsockets copies what the socket does not take, and sends that first, even before its own pongs.
    /// The caller has checked that it holds nothing yet.
    private func write(_ frames: UnsafeMutableRawBufferPointer, on connection: Connection, _ wsi: OpaquePointer) -> Bool {
        let written = unsafe FrameWriter.write(frames, to: wsi, connection.plainDescriptor)
        return unsafe took(written, frames.count, on: connection, wsi)
    }

    private func took(_ written: FrameWriter.Outcome, _ count: Int, on connection: Connection, _ wsi: OpaquePointer) -> Bool {
        if written == .taken, unsafe lws_partial_buffered(wsi) != 0 { connection.inFlightBytes = count }
        return written != .failed
    }

    /// Sends a ping with a payload, because libwebsockets does not report an empty pong.
    func ping(_ wsi: OpaquePointer) -> Bool {
        let headroom = Int(CLWS_PRE)
        return unsafe withUnsafeTemporaryAllocation(byteCount: headroom + Self.pingBytes, alignment: 16) { buffer in
            let start = unsafe (buffer.baseAddress! + headroom).assumingMemoryBound(to: UInt8.self)
            unsafe start.initialize(repeating: UInt8(ascii: "h"), count: Self.pingBytes)
            return unsafe lws_write(wsi, start, Self.pingBytes, LWS_WRITE_PING) >= 0
        }
    }

    private static let pingBytes = 4
}
