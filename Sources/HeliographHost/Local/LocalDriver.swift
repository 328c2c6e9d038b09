internal import AgentLocal
internal import HeliographHook
internal import HostCore

/// Reads the requests of programs, and refuses malformed ones before the adapter gets any part of them.
final class LocalDriver: ProgramDriver {
    static let durableEvents = "events/sync"

    private let seat: DriverSeat
    private let links: LinkLook
    private let doubles: DoubleAsks

    init(_ seat: DriverSeat) {
        self.seat = seat
        links = LinkLook(seat.loop)
        doubles = DoubleAsks(seat)
    }

    func requested(_ what: String, _ body: [UInt8], by process: AgentProcess?, _ token: HookToken) -> Bool {
        do throws(LocalError) {
            guard let fact = try fact(what, body, by: process, token) else { return false }
            if let call = fact.callToAllow, doubles.hold(fact, about: call, token) { return true }
            seat.tell(fact, isDurable: what == Self.durableEvents)
        } catch {
            seat.refuse(token, error)
        }
        return true
    }

    private func fact(
        _ what: String, _ body: [UInt8], by process: AgentProcess?, _ token: HookToken
    ) throws(LocalError) -> LocalFact? {
        switch what {
        case "events", Self.durableEvents: .eventsSent(try events(in: body), by: process, token)
        case "ask": .asked(try LocalAsk(parsing: body), by: process, token)
        case "settled": .settled(try LocalSettlement(parsing: body), by: process, token)
        default: try LocalSteering(what, body).map { .steering($0, by: process, token) }
        }
    }

    private func events(in body: [UInt8]) throws(LocalError) -> [LocalEvent] {
        var events = try LocalEvent.all(in: body)
        for place in events.indices {
            guard let folder = events[place].unnamedCheckout,
                let checkout = CheckoutReader.read(folder, home: HostPaths.variable("HOME"))
            else { continue }
            events[place].began(in: checkout)
        }
        return events
    }

    func carryOut(_ order: any Sendable) {
        guard let order = order as? LocalOrder else { preconditionFailure("the host gives each driver its own orders") }
        switch order {
        case .refuse(let token, let error): seat.refuse(token, error)
        case .findLinks(let token, let paths, let folder):
            links.find(paths, in: folder) { [weak self] in self?.seat.tell(LocalFact.linksFound(token, $0)) }
        }
    }

    func callerGone(_ token: HookToken) { doubles.forget(token) }
}
