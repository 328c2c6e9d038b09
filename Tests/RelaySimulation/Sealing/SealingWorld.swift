import Consent
import HostCore
import RelayCore
import RelayModel
import RelayProtocol

/// Sealed content in a world: the hosts that seal, the devices that read it from the relay, and the checks of both.
final class SealingWorld {
    /// A mark in each text of a host that seals, and nowhere else.
    static let mark = "§"
    private static let markBytes = Array(mark.utf8)

    unowned let world: World
    unowned let consent: ConsentWorld
    var dice: Dice
    /// The device of each client, in the same order.
    private(set) var devices: [SealedDevice] = []
    /// The same devices behind a malicious relay.
    private var deceived: [DeceivedDevice] = []
    private var contents: [Int: SealedContent] = [:]
    private var checkers: [Int: SealingChecker] = [:]
    /// Commands of devices, as meant and as sealed.
    private var meant: [CommandID: (plain: SteeringAction, sealed: SteeringAction)] = [:]

    init(world: World, _ consent: ConsentWorld, seed: UInt64) {
        self.world = world
        self.consent = consent
        dice = Dice(seed: seed &+ 0x51AB_1E5D)
        for (index, host) in consent.hosts.sorted(by: { $0.key < $1.key }) {
            guard world.plant?.isOfSealing == true || dice.chance(0.75) else { continue }
            host.pins.epochs = EpochBook()
            contents[index] = SealedContent(of: host.identity.id)
            checkers[index] = SealingChecker()
            devicesChanged(at: index)
        }
        devices = world.clients.map { SealedDevice($0.index, in: self) }
        if world.faults.deceit > 0 { deceived = world.clients.map { DeceivedDevice($0.index, in: self) } }
    }

    func isSealed(_ host: Int) -> Bool { contents[host] != nil }

    // MARK: Hosts

    /// Files of a host have changed.
    func devicesChanged(at host: Int) {
        guard let pins = consent.pins(of: host) else { return }
        checkers[host]?.trusts(Set((pins.book.devices + pins.known.devices).map(\.id)))
    }

    /// The file of keys may have these epochs from now on.
    func keysChanged(_ epochs: EpochBook, at host: Int) {
        if let (number, key) = epochs.current { contents[host]?.learn(key, of: number) }
    }

    /// The history that a new device may read, drawn for each.
    func history(at host: Int) -> SharedHistory { isSealed(host) && dice.chance(0.5) ? .fromNow : .all }

    func invited(_ device: KeyID, _ history: SharedHistory, at host: Int) {
        checkers[host]?.invited(device, isFromNow: history == .fromNow)
    }

    func invited(_ device: KeyID, by voucher: KeyID, at host: Int) {
        checkers[host]?.invited(device, isFromNow: false, by: voucher)
    }

    func mayRead(_ epoch: EpochNumber, _ device: KeyID, of host: Int) -> Bool {
        checkers[host]?.mayRead(epoch, device) == true
    }

    /// The event as its host sealed it, in this session; nil if it did not.
    func content(of bytes: [UInt8], in session: SessionID, of host: Int) -> SealedContent.Opened? {
        guard let event = try? Event(stored: bytes) else { return nil }
        return contents[host]?.open(event, in: session)
    }

    func opened(_ event: Event, in session: SessionID, of host: Int) -> SealedContent.Opened? {
        contents[host]?.open(event, in: session)
    }

    func key(of epoch: EpochNumber, of host: Int) -> EpochKey? { contents[host]?.key(of: epoch) }
    func epoch(before epoch: EpochNumber, of host: Int) -> EpochNumber? { contents[host]?.epoch(before: epoch) }

    func devices(thatLeft host: Int) -> [ConsentWorld.Device] {
        consent.devices.filter { checkers[host]?.isFormer($0.id) == true }
    }

    func devices(thatCameLaterThan epoch: EpochNumber, to host: Int) -> [ConsentWorld.Device] {
        consent.devices.filter { checkers[host]?.cameLater($0.id, than: epoch) == true }
    }

    func checkQuiet(_ live: Relay) { for device in devices { device.checkQuiet(live) } }

    /// Checks and returns a message that is sent to the relay.
    func leaves(_ bytes: [UInt8], from host: HostProcess) -> [UInt8] {
        guard isSealed(host.index), case .events(var batch)? = try? HostMessage(parsing: bytes) else { return bytes }
        let pins = consent.pins(of: host.index)
        for place in batch.events.indices {
            let number = batch.first + Int64(place)
            batch.events[place] = altered(batch.events[place], number: number, in: batch.session, of: host)
            let complaint = checkers[host.index]?.leaves(batch.events[place], number: number, in: batch.session) {
                pins?.epochs?.key(of: $0) != nil
            }
            if let complaint { world.report(.sealing, "\(host.name): \(complaint)") }
        }
        return world.plant?.isOfSealing == true ? HostMessage.events(batch).bytes : bytes
    }

    // MARK: The relay

    /// Checks that no unsealed text reaches the relay or a push service: the relay derives its memory, its log and its pushes from
    /// this input.
    func reached(_ bytes: [UInt8], from peer: String) {
        guard Self.hasMark(bytes) else { return }
        world.report(
            .sealing, "the relay reads of \(peer) what is sealed: \(String(decoding: bytes.prefix(400), as: UTF8.self))")
    }

    /// These events are in the relay's log now.
    func stored(_ append: SessionAppend) { for device in deceived { device.stored(append) } }

    static func hasMark(_ bytes: [UInt8]) -> Bool {
        bytes.indices.dropLast().contains { bytes[$0] == markBytes[0] && bytes[$0 + 1] == markBytes[1] }
    }

    // MARK: Words of devices

    /// The request as the device sends it; nil if it has no key, or does not know a name. `offer` is the session's, as the client
    /// knows it. Without one a terminal sends nothing.
    func sealed(_ request: SteeringRequest, as offer: SteeringOffer?, by client: Int) -> SteeringRequest? {
        guard let host = host(of: request.session), isSealed(host) else { return request }
        guard offer != nil, let action = devices[client].sealed(request.action, as: request.command, to: request.session) else {
            return nil
        }
        meant[request.command] = (request.action, action)
        var sealed = request
        sealed.action = world.plant == .openWords ? request.action : action
        return sealed
    }

    func sealed(_ verdict: Decision.Verdict, on approval: Approval, by client: Int) -> Decision.Verdict {
        guard let host = host(of: approval.session), isSealed(host) else { return verdict }
        return devices[client].sealed(verdict, on: approval.id, of: approval.session) ?? .deny(message: nil)
    }

    /// The command with the text that its device sealed.
    func meaning(of signed: SignedCommand) -> SignedCommand {
        guard let (plain, sealed) = meant[signed.command], sealed == signed.action else { return signed }
        var meaning = signed
        meaning.action = plain
        return meaning
    }

    /// False if the host may refuse it, because it was sealed with an expired key, or for something no longer offered.
    func mayOpen(_ signed: SignedCommand, at host: Int) -> Bool {
        guard isSealed(host) else { return true }
        guard !signed.action.kind.isLaunch else { return false }
        guard let text = signed.action.text else { return true }
        return (try? Sealed(text: text, as: .words))?.epoch == consent.pins(of: host)?.epochs?.current?.number
    }

    func host(of session: SessionID) -> Int? { world.hosts.first { $0.owns(session) }?.index }
}
