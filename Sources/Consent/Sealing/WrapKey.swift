/// The key that one host and one device agree on. The host sends the device an epoch's key encrypted with it.
///
/// ```
/// W    = HKDF(ECDH(host box, device box), domain("wrap") ‖ LP(host) ‖ LP(device) ‖ LP(host box) ‖ LP(device box))
/// wrap = nonce(12) ‖ AES-256-GCM(W, epoch key, domain("epoch") ‖ LP(host) ‖ LP(device) ‖ u32 epoch)
/// ```
package struct WrapKey: Sendable {
    package static let wrapBytes = SealingNonce.count + EpochKey.count + ConsentCrypto.tagBytes

    private let key: [UInt8]
    private let host: KeyID
    private let device: KeyID
    private let crypto: ConsentCrypto

    /// The host's side. Nil if the device's point is not on the curve.
    package init?(of host: ConsentIdentity, with device: KeyID, box: BoxPoint, _ crypto: ConsentCrypto) {
        guard let secret = host.agreement(box) else { return nil }
        self.init(secret, host: (host.id, host.box), device: (device, box), crypto)
    }

    /// The device's side. Nil if the host's point is not on the curve.
    package init?(of device: ConsentIdentity, with host: HostPin, _ crypto: ConsentCrypto) {
        guard let secret = device.agreement(host.box) else { return nil }
        self.init(secret, host: (host.id, host.box), device: (device.id, device.box), crypto)
    }

    private init(
        _ secret: [UInt8], host: (id: KeyID, box: BoxPoint), device: (id: KeyID, box: BoxPoint), _ crypto: ConsentCrypto
    ) {
        var info = StatementWriter(domain: "wrap")
        info.part(host.id)
        info.part(device.id)
        info.part(host.box)
        info.part(device.box)
        key = crypto.hkdf(secret, info: info.bytes)
        (self.host, self.device, self.crypto) = (host.id, device.id, crypto)
    }

    package func wrap(_ epochKey: EpochKey, of epoch: EpochNumber, nonce: SealingNonce) -> [UInt8] {
        nonce.bytes + crypto.seal(epochKey.bytes, key, nonce.bytes, bound(to: epoch))
    }

    package func open(_ wrap: [UInt8], of epoch: EpochNumber) throws(ConsentError) -> EpochKey {
        guard wrap.count == Self.wrapBytes else {
            throw ConsentError(.badLength, at: "wrap", "this has \(Self.wrapBytes) bytes, not \(wrap.count)")
        }
        let (nonce, sealed) = (Array(wrap.prefix(SealingNonce.count)), Array(wrap.dropFirst(SealingNonce.count)))
        guard let bytes = crypto.open(sealed, key, nonce, bound(to: epoch)), let epochKey = EpochKey(bytes) else {
            throw ConsentError(.notAuthentic, at: "wrap", "this was changed, or wrapped for another device, host or epoch")
        }
        return epochKey
    }

    private func bound(to epoch: EpochNumber) -> [UInt8] {
        var writer = StatementWriter(domain: "epoch")
        writer.part(host)
        writer.part(device)
        writer.number(epoch)
        return writer.bytes
    }
}
