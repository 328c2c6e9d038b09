internal import HostCore

/// Requests of the app-server on this connection. A resumed thread repeats its open requests, each under the same id, which is
/// answered once.
struct CodexRequests {
    private let countMax: Int
    private var open: [HookToken: [UInt8]] = [:]
    /// Requests that we answered and the server has not closed yet.
    private var answered: [[UInt8]: HookToken] = [:]

    init(countMax: Int) { self.countMax = countMax }

    /// Adds a request.
    ///
    /// - Returns: false if it is known already, or there are too many.
    mutating func opened(_ id: [UInt8], _ token: HookToken) -> Bool {
        guard open.count + answered.count < countMax, answered[id] == nil, !open.values.contains(id) else { return false }
        open[token] = id
        return true
    }

    /// The id to answer with, once.
    mutating func answer(_ token: HookToken) -> [UInt8]? {
        guard let id = open.removeValue(forKey: token) else { return nil }
        answered[id] = token
        return id
    }

    /// Forgets a request that will not be answered from here.
    mutating func forget(_ token: HookToken) { open[token] = nil }

    /// Handles a request that the server closed, before or after we answered it; nil if it is unknown.
    mutating func resolved(_ id: [UInt8]) -> (token: HookToken, isAnswered: Bool)? {
        if let token = answered.removeValue(forKey: id) { return (token, true) }
        guard let token = open.first(where: { $0.value == id })?.key else { return nil }
        open[token] = nil
        return (token, false)
    }

    /// Forgets all requests of a lost connection. Returns those that were open.
    mutating func reset() -> [HookToken] {
        defer { (open, answered) = ([:], [:]) }
        return open.keys.sorted { $0.rawValue < $1.rawValue }
    }
}
