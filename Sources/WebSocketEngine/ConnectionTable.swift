/// The connections of a loop by their identifiers, with the fields that sending reads in contiguous memory.
///
/// Each connection is an object anywhere in memory, and thousands of them are more than a processor's cache holds. A message for
/// thousands goes through this table instead, and touches only the connections that need more than a simple write.
@safe final class ConnectionTable {
    var slots = Slots()

    var values: [Connection] { slots.all.compactMap(\.connection) }
    var count: Int { slots.count }

    subscript(id: UInt64) -> Connection? { slots.index(of: id).flatMap { slots.all[$0].connection } }

    /// `makeID` counts up; identifiers whose slot is taken are skipped.
    func add(_ role: Connection.Role, _ peer: Peer, _ phase: Connection.Phase, makeID: () -> UInt64) -> Connection {
        let id = slots.takeID(makeID)
        let connection = Connection(id: ConnectionID(rawValue: id), of: self, role, peer, phase)
        slots.all[slots.slot(of: id)].connection = connection
        return connection
    }

    /// - Returns: nil if the connection has been removed already.
    func remove(_ id: UInt64) -> Connection? { slots.remove(id) }

    func batch(of id: ConnectionID) -> TurnOutbox.Batch {
        slots.index(of: id.rawValue).map { slots.all[$0].batch } ?? TurnOutbox.nothing
    }

    /// Removes and returns the connection's batch of this turn.
    func takeBatch(of id: ConnectionID) -> TurnOutbox.Batch {
        guard let index = slots.index(of: id.rawValue) else { return TurnOutbox.nothing }
        defer { slots.all[index].batch = TurnOutbox.nothing }
        return slots.all[index].batch
    }

    /// Copies the fields that sending reads. No effect if the connection has been removed.
    func show(_ connection: Connection) {
        guard let index = slots.index(of: connection.id.rawValue) else { return }
        unsafe slots.all[index].socket = connection.socket
        slots.all[index].descriptor = connection.plainDescriptor
        slots.all[index].isReady = connection.isReady
    }

    /// The fields of a connection that sending reads, in contiguous memory.
    @safe struct Place {
        /// 0 for a free slot.
        var id: UInt64 = 0
        var connection: Connection?
        /// See `Connection`, like the next two.
        var socket: OpaquePointer?
        var descriptor: Int32 = -1
        var isReady = false
        /// True if the connection is in the list of this turn.
        var isListed = false
        /// True if the connection is among those that the last part of the output did not reach.
        var isInRest = false
        /// Messages of this turn; for connections of servers only.
        var batch = TurnOutbox.nothing
    }

    /// One connection's output of this turn.
    @safe struct Write {
        let id: UInt64
        let socket: OpaquePointer?
        let descriptor: Int32
        let batch: TurnOutbox.Batch
        var isReady: Bool
    }

    /// A hash table whose size is a power of two. The last bits of an identifier are its slot, and the identifier's maker ensures
    /// that the slot is free.
    struct Slots {
        var all = [Place](repeating: Place(), count: 16)
        private(set) var count = 0

        func slot(of id: UInt64) -> Int { Int(truncatingIfNeeded: id) & (all.count - 1) }

        func index(of id: UInt64) -> Int? {
            let index = slot(of: id)
            return all[index].id == id && id != 0 ? index : nil
        }

        /// Finds an identifier with a free slot; at least one in four is free. Counting up meets a long-lived connection only once
        /// in as many identifiers as there are slots.
        mutating func takeID(_ makeID: () -> UInt64) -> UInt64 {
            if (count + 1) * 4 > all.count * 3 { grow() }
            var id = makeID()
            while all[slot(of: id)].id != 0 { id = makeID() }
            all[slot(of: id)].id = id
            count += 1
            return id
        }

        mutating func remove(_ id: UInt64) -> Connection? {
            guard let index = index(of: id) else { return nil }
            defer { all[index] = Place() }
            count -= 1
            return all[index].connection
        }

        /// Removes the connections' batches of this turn, and appends those that are not empty.
        mutating func takeBatches(of ids: ArraySlice<UInt64>, into writes: inout [Write]) {
            writes.removeAll(keepingCapacity: true)
            for id in ids {
                guard let index = index(of: id), all[index].batch != TurnOutbox.nothing else { continue }
                unsafe writes.append(
                    Write(
                        id: id, socket: all[index].socket, descriptor: all[index].descriptor, batch: all[index].batch,
                        isReady: all[index].isReady))
                all[index].batch = TurnOutbox.nothing
            }
        }

        /// With one more bit, identifiers that had different slots still have.
        private mutating func grow() {
            let before = all
            all = [Place](repeating: Place(), count: 2 * before.count)
            for one in before where one.id != 0 { all[slot(of: one.id)] = one }
        }
    }
}
