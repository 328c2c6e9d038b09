import HeliographCrypto
import Foundation
import Testing

@testable import LiveActivityKit

@Suite("Alerts") struct AlertTests {
    private func userInfo(_ fields: [String: Any]) -> [AnyHashable: Any] { ["aps": ["alert": "x"], "heliograph": fields] }

    @Test("what the relay puts beside aps")
    func payload() throws {
        let payload = try AlertPayload(
            userInfo: userInfo(["session": "s1", "approval": "a1", "kind": "approval", "code": "7.abc"]))
        #expect((payload.session, payload.approval, payload.kind, payload.code) == ("s1", "a1", "approval", "7.abc"))
        #expect(payload.link == .approval(session: "s1", id: "a1"))
        #expect(try AlertPayload(userInfo: userInfo(["session": "s1", "kind": "finished"])).link == .session("s1"))
        // An alert held back in the quiet hours is about several sessions.
        #expect(try AlertPayload(userInfo: userInfo(["kind": "finished"])).link == nil)
        #expect(try AlertPayload(userInfo: userInfo(["kind": "test"])).link == nil)
        #expect(try AlertPayload(userInfo: userInfo(["kind": "of a later relay"])).link == nil)
    }

    @Test("others' alerts and bad ones are no payload")
    func badPayloads() {
        for info in [[:], ["heliograph": "x"], userInfo(["session": "a/b"]), userInfo(["session": "s", "approval": 7])] {
            #expect { try AlertPayload(userInfo: info) } throws: { ($0 as? LiveActivityError)?.code == .badPayload }
        }
    }

    @Test("the first button of every category harms nothing, and only a whole approval can be allowed")
    func categories() {
        for category in AlertCategory.allCases {
            #expect(category.actions.first != .allow)
            #expect(category.actions.contains(.allow) == (category == .approval))
        }
        #expect(AlertCategory.approval.actions.first == .deny)
        #expect(AlertAction.allCases.filter(\.needsUnlock) == [.allow])
        #expect(!AlertAction.deny.opensApp)
    }

    @Test("buttons decide, taps open, and Allow counts only where its category has it")
    func responses() throws {
        let payload = try AlertPayload(
            userInfo: userInfo(["session": "s1", "approval": "a1", "kind": "approval", "code": "7.abc"]))
        func response(_ action: String, _ category: AlertCategory = .approval) -> AlertResponse? {
            AlertResponse(action: action, category: category.rawValue, payload: payload)
        }
        #expect(response("HELIOGRAPH_ALLOW") == .decide(.allow, payload, shown: nil))
        #expect(response("HELIOGRAPH_ALLOW", .review) == .open(payload.link))
        #expect(response("HELIOGRAPH_DENY", .review) == .decide(.deny(), payload, shown: nil))
        #expect(response("HELIOGRAPH_REVIEW") == .open(payload.link))
        #expect(response("com.apple.UNNotificationDefaultActionIdentifier") == .open(payload.link))
        #expect(response("com.apple.UNNotificationDismissActionIdentifier") == nil)
    }

    @Test("sealed as the relay seals: nonce, ciphertext and tag in base64")
    func sealed() throws {
        let key = [UInt8](repeating: 9, count: SealedText.keyBytes)
        let text = #"{"title":"Bash","body":"swift test","code":"7.abc"}"#
        let base64 = Data(AESGCM.seal(Array(text.utf8), with: key)).base64EncodedString()
        let sealed = try SealedText(base64: base64)
        let opened = try AESGCM.open(Array(sealed.combined), with: key)
        let alert = try SealedText.Opened(json: Data(opened))
        #expect((alert.title, alert.subtitle, alert.body, alert.code) == ("Bash", nil, "swift test", "7.abc"))
        // The code is at hand then as if it had come in the open.
        let info = AlertPayload.userInfo(userInfo(["session": "s1", "kind": "approval"]), with: "7.abc")
        #expect(try AlertPayload(userInfo: info).code == "7.abc")
        #expect(info["aps"] != nil)
    }

    @Test("what cannot have been sealed", arguments: ["", "####", "AAAA", Data(count: 27).base64EncodedString()])
    func notSealed(base64: String) {
        #expect { try SealedText(base64: base64) } throws: { ($0 as? LiveActivityError)?.code == .badPayload }
    }
}
