import RelayModel
import RelayProtocol
import Testing

@testable import PushPlanner

@Suite("How many devices there may be") struct DeviceBoundsTests {
    private typealias S = PlannerStage

    private func client(_ name: String) -> ClientIdentity {
        ClientIdentity(workspace: S.home, client: Named(id: ClientID(name)!, name: name), scope: Scope(of: .client))
    }

    private func app(_ id: String) -> ClientCommand {
        .device(
            Device(id: DeviceID(id)!, name: id, profile: "heliograph", address: .apns(APNsTokens(.sandbox)), system: "17.5"))
    }

    /// True if the last request is accepted.
    private func isTaken(_ stage: S) -> Bool { stage.take().last { $0.hasPrefix("reply") }?.hasSuffix("when staged") == true }

    @Test("one client has a few, which it may tell anew; another has its own")
    func ofClient() {
        let stage = S()
        for number in 1...PlannerLimits.devicesOfClientMax {
            stage.ask(app("own\(number)"), as: client("ada"))
            #expect(isTaken(stage))
        }
        stage.ask(app("more"), as: client("ada"))
        #expect(!isTaken(stage))
        // Taking over another client's device is no way around the limit, either.
        stage.ask(app(S.device.device.rawValue), as: client("ada"))
        #expect(!isTaken(stage))
        stage.ask(app("own1"), as: client("ada"))
        #expect(isTaken(stage))
        stage.ask(app("more"), as: client("bob"))
        #expect(isTaken(stage))
        stage.ask(.forget(DeviceID("own2")!), as: client("ada"))
        stage.ask(app("another"), as: client("ada"))
        #expect(isTaken(stage))
    }

    @Test("a workspace has as many as its clients may have together, up to a bound")
    func ofWorkspace() {
        let stage = S()
        // One of them is the stage's own.
        for number in 1..<PlannerLimits.devicesMax {
            stage.ask(app("d\(number)x"), as: client("client\(number / 9)"))
            #expect(isTaken(stage))
        }
        stage.ask(app("more"), as: client("new"))
        #expect(!isTaken(stage))
        stage.ask(app("d1x"), as: client("client0"))
        #expect(isTaken(stage))
    }
}
