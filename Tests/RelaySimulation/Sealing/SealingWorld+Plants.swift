import DeviceConsent
import Consent
import RelayProtocol

/// Planted faults of a host that seals.
extension SealingWorld {
    func altered(_ event: Event, number: Int64, in session: SessionID, of host: HostProcess) -> Event {
        guard let plant = world.plant, plant.isOfSealing, let identity = consent.hosts[host.index]?.identity,
            let opened = opened(event, in: session, of: host.index), let plain = try? Event(stored: opened.plain),
            let key = key(of: opened.epoch, of: host.index)
        else { return event }
        var wraps: [KeyWrap]?
        if case .steeringOffered(let offer) = event.head { wraps = offer.wraps }
        var sealed = event.sealed ?? ""
        var (epoch, epochKey) = (opened.epoch, key)
        func reseal(in place: SessionID? = nil, as another: Int64? = nil, nonce: SealingNonce? = nil) {
            let seal = SessionSeal(of: place ?? session, host: identity.id, epochKey, epoch: epoch, .simulated)
            let fresh: SealingNonce = nonce ?? SimulatedKeys.fixed(world.name("nonce"))
            sealed =
                seal.seal(opened.plain, as: .event(kind: event.head.kind), number: another ?? number, nonce: fresh).text
        }
        switch plant {
        case .reusedNonce: reseal(nonce: SimulatedKeys.fixed("nonce"))
        case .reusedNumber: reseal(as: max(1, number - 1))
        case .misboundEvent: reseal(in: SessionID("another")!)
        case .staleEpoch:
            guard let before = self.epoch(before: epoch, of: host.index), let old = self.key(of: before, of: host.index) else {
                return event
            }
            (epoch, epochKey) = (before, old)
            reseal()
        case .formerReader:
            let former = devices(thatLeft: host.index)
            guard let known = wraps, !former.isEmpty else { return event }
            wraps = known + former.compactMap { wrap(epochKey, of: epoch, for: $0, by: identity) }
        case .earlierHistory:
            guard let known = wraps, let before = self.epoch(before: epoch, of: host.index),
                let old = self.key(of: before, of: host.index)
            else { return event }
            wraps =
                known
                + devices(thatCameLaterThan: before, to: host.index).compactMap {
                    wrap(old, of: before, for: $0, by: identity)
                }
        case .openHead:
            guard let head = try? JSONDocument(parsing: plain.bytes).root.object("head") else { return event }
            let bytes = JSONWriter.object { writer in
                writer.field("kind", plain.head.kind)
                writer.field("at", plain.at)
                writer.raw("head", Array(head.bytes))
                writer.object("body") { $0.field("sealed", sealed) }
                writer.field("line", event.line)
            }
            return (try? Event(stored: bytes)) ?? event
        default: return event
        }
        let alias = AliasKey(of: identity.id, epochKey, .simulated)
        let bytes = SealedEvent(sealed, line: event.line, wraps: wraps).bytes(of: plain) { alias.alias(of: $0) }
        return (try? Event(stored: bytes)) ?? event
    }

    private func wrap(
        _ key: EpochKey, of epoch: EpochNumber, for device: ConsentWorld.Device, by host: ConsentIdentity
    ) -> KeyWrap? {
        let wrap = WrapKey(of: host, with: device.id, box: device.identity.box, .simulated)?
            .wrap(key, of: epoch, nonce: SimulatedKeys.fixed(world.name("nonce")))
        return wrap.flatMap { KeyWrap(epoch: Int64(epoch), device: HostKeyID(device.id), wrap: Base64URL.text($0)) }
    }
}

/// Planted faults of a device.
extension SealingWorld {
    func planted(_ remark: ContentRemark?) -> ContentRemark? { world.plant == .ignoredHole ? nil : remark }

    /// `content` is the opened event that the relay claims to be there; nil if no host sealed it for this place.
    func planted(_ shown: [UInt8], _ claim: [UInt8], _ content: SealedContent.Opened?) -> [UInt8] {
        switch world.plant {
        case .shownRepeat: content?.plain ?? shown
        case .shownForgery where content == nil: claim
        default: shown
        }
    }
}
