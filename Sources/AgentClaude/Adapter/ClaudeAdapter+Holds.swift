internal import HostCore
internal import RelayProtocol

/// Sessions whose budget is spent: every tool is asked for, also what the agent's rules or mode would let run.
extension ClaudeAdapter {
    /// These ask a person by themselves; asked for twice they would help nobody.
    private static let askingTools: Set<String> = ["AskUserQuestion", "ExitPlanMode"]

    func isHeld(_ id: SessionID, _ payload: JSONValue) -> Bool {
        holds.contains(id) && !Self.askingTools.contains(payload.text("tool_name") ?? "")
    }
}
