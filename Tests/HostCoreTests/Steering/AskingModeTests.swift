import Testing

@testable import HostCore

@Suite("Modes that ask")
struct AskingModeTests {
    @Test(
        "they are known in the spellings that agents have for them",
        arguments: [
            "default", "ask", "plan", "accept-edits", "acceptEdits", "accept_edits", "always-ask", "code", "architect",
            "read-only", "untrusted", "on-request", "autoEdit", "https://example.org/protocol/session-modes#agent",
        ])
    func known(_ mode: String) { #expect(AskingMode.isOne(mode)) }

    @Test(
        "whatever else an agent has asks nobody, for all that is known",
        arguments: [
            "bypassPermissions", "bypass_permissions", "full-access", "Agent (full access)", "dont_ask", "dontAsk", "auto",
            "auto-approve", "always-approve", "llm-approve", "yolo", "never", "full-auto", "Bypass Permissions", "automation",
            "",
            "https://example.org/protocol/session-modes#autopilot", "smart_approve", "accept_everything", "no-confirm",
            "Trust all tools", "turbo",
        ])
    func others(_ mode: String) { #expect(!AskingMode.isOne(mode)) }

    @Test("its title may be the one that is known, and takes back what its name says")
    func titles() {
        #expect(AskingMode.isOne("m1", title: "Ask") && AskingMode.isOne("code", title: "Write code"))
        #expect(!AskingMode.isOne("m2", title: "Fast") && !AskingMode.isOne("agent", title: "Agent (full access)"))
        #expect(!AskingMode.isOne("code", title: "Trust all tools") && !AskingMode.isOne("yolo", title: "Code"))
    }
}
