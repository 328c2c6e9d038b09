internal import HostCore

/// Requests of the app-server on this connection. A resumed thread repeats those that are open: under the same id, which is answered
/// once.
struct CodexRequests {
    private let countMax: Int
    private var open: [HookToken: [UInt8]] = [:]
    /// Answered by us, and not yet closed by the server.
    private var answered: [[UInt8]: HookToken] = [:]

    init(countMax: Int) { self.countMax = countMax }

    /// - Returns: false if the request is known already, or too many are.
    mutating func opened(_ id: [UInt8], _ token: HookToken) -> Bool {
        guard open.count + answered.count < countMax, answered[id] == nil, !open.values.contains(id) else { return false }
        open[token] = id
        return true
    }

    /// The id to answer, once.
    mutating func answer(_ token: HookToken) -> [UInt8]? {
        guard let id = open.removeValue(forKey: token) else { return nil }
        answered[id] = token
        return id
    }

    /// The request will not be answered from here.
    mutating func forget(_ token: HookToken) { open[token] = nil }

    /// Closed by the server, before or after we answered it; nil if we did not know it.
    mutating func resolved(_ id: [UInt8]) -> (token: HookToken, isAnswered: Bool)? {
        if let token = answered.removeValue(forKey: id) { return (token, true) }
        guard let token = open.first(where: { $0.value == id })?.key else { return nil }
        open[token] = nil
        return (token, false)
    }

    /// The connection is gone: those that were open.
    mutating func reset() -> [HookToken] {
        defer { (open, answered) = ([:], [:]) }
        return open.keys.sorted { $0.rawValue < $1.rawValue }
    }
}
