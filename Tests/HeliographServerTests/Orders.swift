import PushPlanner
import RelayProtocol

let epoch = Epoch("life1")!

/// An alert as the planner makes it.
func order(_ number: Int64, bundle: String = "org.heliograph.app", worthUntil: Int64 = .max / 2) -> PushIntent {
    var order = PushIntent(
        id: PushID(rawValue: number), workspace: WorkspaceID("home")!, device: DeviceID("d1")!, service: .apns, purpose: .alert,
        session: SessionID("s1"), app: bundle, target: .device(token: "0aff"), environment: .sandbox, worthUntil: worthUntil,
        plannedAt: 1_000)
    order.payload = Array(
        #"{"aps":{"alert":{"title":"t"}},"heliograph":{"session":"s1","kind":"approval","code":"CODE"}}"#.utf8)
    order.replaces = "a1"
    order.toldAt = 7
    order.isHarmlessToRepeat = true
    order.isEnvironmentProven = true
    return order
}
