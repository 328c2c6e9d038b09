import Testing

@testable import HostCore

@Suite("Modes that ask nobody")
struct UnaskingModeTests {
    @Test(
        "they are known in the spellings that agents have for them",
        arguments: [
            "bypassPermissions", "bypass_permissions", "full-access", "Agent (full access)", "dont_ask", "dontAsk", "auto",
            "auto-approve",
            "always-approve", "llm-approve", "yolo", "never", "full-auto", "Bypass Permissions",
        ])
    func known(_ mode: String) { #expect(UnaskingMode.isOne(mode)) }

    @Test(
        "others are not taken for one",
        arguments: [
            "default", "ask", "plan", "accept-edits", "acceptEdits", "always-ask", "code", "architect", "read-only",
            "untrusted",
            "on-request", "automation", "workspace-write", "",
        ])
    func others(_ mode: String) { #expect(!UnaskingMode.isOne(mode)) }
}
