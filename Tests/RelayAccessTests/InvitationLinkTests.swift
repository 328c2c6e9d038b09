import RelayAccess
import RelayProtocol
import Testing

@Suite struct InvitationLinkTests {
    @Test func `an invitation has a link for a machine and one for a device`() throws {
        let invitation = try #require(InvitationLink("https://relay.example/#join=MACHINE-1.device_2"))
        #expect(invitation.machineLink == "https://relay.example/#host=MACHINE-1")
        #expect(invitation.deviceLink == "https://relay.example/#pair=device_2")
        #expect(invitation.text == "https://relay.example/#join=MACHINE-1.device_2")
        let codes = RegistrationAnswer(
            workspace: Named(id: try #require(WorkspaceID("w1")), name: "w1"), device: "device_2", machine: "MACHINE-1",
            expiresAt: 1)
        #expect(InvitationLink(relay: invitation.relay, codes) == invitation)
    }

    @Test func `a link for a machine alone is one, too`() throws {
        let invitation = try #require(InvitationLink("https://relay.example/#host=CODE"))
        #expect(invitation.machineLink == "https://relay.example/#host=CODE" && invitation.deviceLink == nil)
        #expect(invitation.text == invitation.machineLink)
    }

    @Test(arguments: [
        "https://relay.example", "https://relay.example/#pair=CODE", "https://relay.example/#join=ONE", "#join=ONE.TWO",
        "https://relay.example/#join=ONE.TWO.THREE", "https://relay.example/#join=.TWO", "https://relay.example/#join=ONE.",
        "https://relay.example/#join=ONE.TWO&k=x#join=1.2",
    ])
    func `anything else is none`(_ text: String) { #expect(InvitationLink(text) == nil) }
}
