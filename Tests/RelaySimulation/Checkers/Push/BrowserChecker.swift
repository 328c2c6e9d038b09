import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol

/// Checks that a browser, a topic or a receiver may allow only if its person chose so and everything is shown. It gets no push
/// after it is gone, and a browser at Apple's service gets none that only reports a settlement, which would add a row there.
struct BrowserChecker {
    private struct Shown {
        let body: String
        let mayAllow: Bool
        /// True if it only replaces an earlier notification. (A digest has the same level, but no session.)
        let isSettlement: Bool

        init(_ payload: [UInt8]) throws(WireError) {
            let root = try JSONDocument(parsing: payload).root
            let told: JSONValue?
            if let notification = root.optional("notification") {
                body = try notification.string("body")
                told = try notification.required("data").required("heliograph")
            } else if root.optional("version") != nil {
                body = try root.string("text")
                told = root.optional("heliograph")
            } else {
                body = try root.string("message")
                told = try root.required("heliograph")
            }
            var mayAllow = false
            for entry in try told?.optional("decisions")?.array() ?? [] where try entry.string() == "allow" { mayAllow = true }
            self.mayAllow = mayAllow
            let rings = try told?.optional("rings")?.bool() ?? true
            let session = try told?.optionalString("session")
            isSettlement = !rings && session != nil
        }
    }

    /// `WebPayload.bytesMax`, with the code in its place.
    private static let bytesMax = 2_600 - (Payload.codeBytesMax - 4)
    /// Subscriptions that their services reported as gone, without a registration since.
    private var gone: Set<String> = []

    /// The key of an address: devices that share one each learn separately that it is gone.
    private static func subscription(_ service: PushService, _ place: String, _ device: DeviceID) -> String {
        service.sharesAddresses ? "\(device.rawValue) \(place)" : place
    }

    /// The relay may not have stored that they are gone.
    mutating func relayEnded() { gone = [] }

    mutating func registered(_ device: Device) {
        let service = device.address.service
        if service != .apns, let place = device.address.alerts { gone.remove(Self.subscription(service, place, device.id)) }
    }

    mutating func answered(_ order: PushIntent, _ outcome: PushOutcome) {
        guard order.service != .apns, case .device(let place) = order.target else { return }
        switch outcome {
        case .refused(.dropToken, _), .refused(.quarantineToken, _):
            gone.insert(Self.subscription(order.service, place, order.device))
        case .accepted, .refused, .unknown, .notSent: break
        }
    }

    func planned(_ order: PushIntent, to device: Device, _ approval: Approval?) -> String? {
        guard order.service != .apns, case .device(let place) = order.target else { return nil }
        let name = "push \(order.id.rawValue) to \(order.device)"
        if gone.contains(Self.subscription(order.service, place, order.device)) {
            return "\(name) goes to a subscription that is gone"
        }
        guard order.payload.count <= Self.bytesMax || order.code == nil || order.service.sharesAddresses else {
            return "\(name) is too long"
        }
        let shown: Shown
        do throws(WireError) { shown = try Shown(order.payload) } catch {
            return "\(name) is no notification: \(error.message)"
        }
        if shown.isSettlement, place.hasPrefix("https://web.push.apple.com/") { return "\(name) tells Apple's what is settled" }
        guard shown.mayAllow else { return nil }
        guard device.allowsOnLockScreen else { return "\(name) offers to allow, and its person has not chosen so" }
        guard let request = approval?.request, !request.isCut, !request.isRedacted, let words = request.alert, words.isWhole,
            let full = words.full
        else { return "\(name) offers to allow what it does not show" }
        let lookTwice = request.risks.isEmpty ? "" : "Look twice: \(request.risks.joined(separator: " "))\n"
        return shown.body == lookTwice + full ? nil : "\(name) offers to allow what it does not show"
    }

    func replied(_ reply: Reply, to decide: DecideCommand, with order: PushIntent) -> String? {
        guard order.service != .apns, let shown = try? Shown(order.payload), !shown.mayAllow else { return nil }
        switch (decide.verdict, reply) {
        case (.deny, _), (_, .failed): return nil
        default: return "push \(order.id.rawValue) did not offer to allow, and its code allowed \(decide.approval)"
        }
    }
}
