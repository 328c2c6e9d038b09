/// Calls of a program, as far as they show that it asks before it runs them. A call may begin before or after its question, which
/// has the call's name or is the next about its tool.
struct AskedCalls {
    /// Tools of the questions whose calls have not begun, by the questions' names.
    private var asked: [String: String] = [:]
    /// Tools of the begun calls about which nobody was asked, by the calls' names.
    private var unasked: [String: String] = [:]

    mutating func asks(_ question: String, about tool: String, countMax: Int) {
        if !Self.take(question, of: tool, from: &unasked) { Self.add(question, tool, to: &asked, countMax) }
    }

    /// Handles a question that allows no call any more.
    mutating func closed(_ question: String) { asked[question] = nil }

    mutating func begins(_ call: String, of tool: String, isHeld: Bool, countMax: Int) {
        if !Self.take(call, of: tool, from: &asked), isHeld { Self.add(call, tool, to: &unasked, countMax) }
    }

    /// Handles the end of a call. Returns true if nobody was asked about it.
    mutating func ends(_ call: String) -> Bool { unasked.removeValue(forKey: call) != nil }

    mutating func released() { unasked = [:] }

    private static func take(_ name: String, of tool: String, from names: inout [String: String]) -> Bool {
        guard names.removeValue(forKey: name) == nil else { return true }
        return names.filter { $0.value == tool }.keys.min().map { names.removeValue(forKey: $0) } != nil
    }

    private static func add(_ name: String, _ tool: String, to names: inout [String: String], _ countMax: Int) {
        names[name] = tool
        if names.count > countMax, let one = names.keys.min() { names[one] = nil }
    }
}
