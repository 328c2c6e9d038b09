internal import RelayProtocol

/// What we asked the app-server on this connection and has not been answered.
struct CodexCalls {
    enum Call: Equatable {
        case initialize
        case listThreads
        case resume(thread: String)
        /// With its turns: the only way to learn of an item that began before we came and has not ended.
        case readWhole(thread: String)
        case listTurns(thread: String)
        case unsubscribe(thread: String)
    }

    private var open: [Int64: Call] = [:]
    private var lastID: Int64 = 0

    /// The message that asks.
    mutating func begin(_ call: Call) -> [UInt8] {
        lastID += 1
        open[lastID] = call
        return JSONWriter.object {
            $0.field("id", lastID)
            $0.field("method", call.method)
            $0.object("params", call.write)
        }
    }

    /// Nil where we did not ask that.
    mutating func end(_ id: Int64) -> Call? { open.removeValue(forKey: id) }

    mutating func reset() { open = [:] }
}

extension CodexCalls.Call {
    fileprivate var method: String {
        switch self {
        case .initialize: "initialize"
        case .listThreads: "thread/loaded/list"
        case .resume, .readWhole: "thread/resume"
        case .listTurns: "thread/turns/list"
        case .unsubscribe: "thread/unsubscribe"
        }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        switch self {
        case .initialize:
            writer.object("clientInfo") {
                $0.field("name", "heliograph")
                $0.field("title", "Heliograph")
                $0.field("version", "1")
            }
        case .listThreads: break
        case .resume(let thread):
            writer.field("threadId", thread)
            // A long conversation is not read to us as a whole.
            writer.field("excludeTurns", true)
        case .readWhole(let thread): writer.field("threadId", thread)
        case .listTurns(let thread):
            writer.field("threadId", thread)
            writer.field("itemsView", "full")
            writer.field("limit", 1)
        case .unsubscribe(let thread): writer.field("threadId", thread)
        }
    }
}
