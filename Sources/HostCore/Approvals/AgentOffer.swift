package import RelayProtocol

/// One of an agent's own options: as people see it, and the agent's reply if a person chose it.
package struct AgentOffer: Sendable, Equatable {
    package let shown: Offer
    /// The reply as JSON: copied from the agent if it wrote it, never made from the text that is shown.
    package let bytes: [UInt8]

    package init(_ shown: Offer, bytes: [UInt8]) {
        self.shown = shown
        self.bytes = bytes
    }

    /// The options that people can be shown exactly. An option that contains a secret, is too long, or shares its id with another
    /// is left to the agent's own prompt: nobody may choose what they have not seen, or what would write a secret to a file.
    package static func showable(_ offers: [AgentOffer], _ cleaner: Cleaner) -> [AgentOffer] {
        var counts: [String: Int] = [:]
        for offer in offers { counts[offer.shown.id, default: 0] += 1 }
        var room = Offer.bytesMax
        var kept: [AgentOffer] = []
        for offer in offers where kept.count < WireLimits.offersMax && counts[offer.shown.id] == 1 {
            let size = offer.shown.bytes.count
            guard offer.shown.fits, size <= room, offer.shown.isPlain(cleaner) else { continue }
            room -= size
            kept.append(offer)
        }
        return kept
    }
}

extension Offer {
    fileprivate var fits: Bool {
        !id.isEmpty && id.utf8.count <= WireLimits.nameBytesMax && !label.isEmpty
            && label.utf8.count <= WireLimits.nameBytesMax && (rule?.utf8.count ?? 0) <= WireLimits.lineBytesMax
            && (mode?.utf8.count ?? 0) <= WireLimits.nameBytesMax
    }

    /// True if no text of the option looks like a secret.
    fileprivate func isPlain(_ cleaner: Cleaner) -> Bool {
        [id, label, rule, mode].compactMap(\.self).allSatisfy { cleaner.clean($0) == $0 }
    }
}
