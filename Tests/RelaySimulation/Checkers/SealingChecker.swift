import Consent
import RelayProtocol

/// Checks that only the devices that a host trusts can open its sealed events. For one host.
struct SealingChecker {
    /// Period in which a device is trusted: it may read epochs from `first` to `last`, which is nil while it is trusted.
    private struct Stay {
        let first: EpochNumber
        var last: EpochNumber?
    }

    /// A use of a key with a nonce.
    private struct Use: Hashable {
        /// The session; empty for the key that host and device agree on.
        let session: String
        let epoch: EpochNumber
        let nonce: [UInt8]
    }

    private var stays: [KeyID: [Stay]] = [:]
    /// The epochs that each device was given.
    private var given: [KeyID: Set<EpochNumber>] = [:]
    private var used: [Use: [UInt8]] = [:]
    /// The highest epoch used for sending.
    private var highest: EpochNumber = 0
    /// The epochs permitted to devices when they were last invited.
    private var histories: [KeyID: (from: EpochNumber?, isFromNow: Bool)] = [:]

    // MARK: Devices

    /// A device was invited, and has not joined. `voucher` is the device that vouches for it.
    mutating func invited(_ device: KeyID, isFromNow: Bool, by voucher: KeyID? = nil) {
        let from = voucher.flatMap { stays[$0]?.last }.map(\.first)
        histories[device] = (from, isFromNow)
    }

    /// The host trusts exactly these devices now.
    mutating func trusts(_ devices: Set<KeyID>) {
        for device in devices where stays[device]?.last.map({ $0.last == nil }) != true {
            let history = histories[device]
            let first = history?.isFromNow == true ? highest + 1 : history?.from ?? 1
            stays[device, default: []].append(Stay(first: first))
        }
        for (device, list) in stays where !devices.contains(device) {
            if let last = list.indices.last, list[last].last == nil { stays[device]?[last].last = highest }
        }
    }

    private func isTrusted(_ device: KeyID) -> Bool { stays[device]?.last.map { $0.last == nil } == true }

    func mayRead(_ epoch: EpochNumber, _ device: KeyID) -> Bool {
        stays[device]?.contains { $0.first <= epoch && epoch <= $0.last ?? .max } == true
    }

    func isFormer(_ device: KeyID) -> Bool { stays[device] != nil && !isTrusted(device) }
    func cameLater(_ device: KeyID, than epoch: EpochNumber) -> Bool { isTrusted(device) && !mayRead(epoch, device) }

    // MARK: Events

    /// The host sends this event. `isKept`: true if the key of that epoch is on disk. Returns a complaint, if any.
    mutating func leaves(
        _ event: Event, number: Int64, in session: SessionID, isKept: (EpochNumber) -> Bool
    ) -> String? {
        guard let text = event.sealed else { return "event \(number) of \(session) leaves unsealed" }
        guard let sealed = try? Sealed(text: text, as: .numbered) else {
            return "event \(number) of \(session) is no sealed one"
        }
        if let complaint = leaves(sealed, in: session, number: number, isKept: isKept) { return complaint }
        if let line = event.line {
            guard let line = try? Sealed(text: line, as: .numbered) else { return "a line of \(session) is no sealed one" }
            if let complaint = leaves(line, in: session, number: number, isKept: isKept) { return complaint }
        }
        guard case .steeringOffered(let offer) = event.head else { return nil }
        for wrap in offer.wraps ?? [] { if let complaint = leaves(wrap) { return complaint } }
        return nil
    }

    private mutating func leaves(
        _ sealed: Sealed, in session: SessionID, number: Int64, isKept: (EpochNumber) -> Bool
    ) -> String? {
        highest = max(highest, sealed.epoch)
        if sealed.number != number { return "event \(number) of \(session) is sealed as event \(sealed.number)" }
        if !isKept(sealed.epoch) { return "\(session) is sealed with a key of epoch \(sealed.epoch) that is not on disk" }
        if let device = given.first(where: { $0.value.contains(sealed.epoch) && !isTrusted($0.key) })?.key {
            return
                "\(session) is sealed with the key of epoch \(sealed.epoch), which \(device.shortCode) has, and is not trusted"
        }
        return use(Use(session: session.rawValue, epoch: sealed.epoch, nonce: sealed.nonce.bytes), for: sealed.ciphertext)
    }

    private mutating func leaves(_ wrap: KeyWrap) -> String? {
        guard let device = KeyID(text: wrap.device.rawValue), let bytes = Base64URL.bytes(wrap.wrap) else {
            return "a wrap is none"
        }
        let epoch = EpochNumber(wrap.epoch)
        if !isTrusted(device) { return "a key of epoch \(epoch) is wrapped for \(device.shortCode), which is not trusted" }
        if !mayRead(epoch, device) { return "a key of epoch \(epoch) is wrapped for \(device.shortCode), which came later" }
        given[device, default: []].insert(epoch)
        let nonce = Array(bytes.prefix(SealingNonce.count))
        return use(Use(session: device.text, epoch: 0, nonce: nonce), for: bytes)
    }

    private mutating func use(_ use: Use, for text: [UInt8]) -> String? {
        let earlier = used[use] ?? text
        used[use] = text
        return earlier == text ? nil : "two texts are sealed with one nonce and one key, of \(use.session)"
    }
}
