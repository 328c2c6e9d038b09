internal import RelayProtocol

extension SteeringOffer {
    /// The offer of a host that seals: no longer than the wire takes sealed.
    var sealable: SteeringOffer {
        var offer = self
        offer.seals = true
        if !offer.hasRoom { offer.rules = nil }
        if !offer.hasRoom { offer.commands = [] }
        if !offer.hasRoom { offer.projects = offer.projects?.filter { $0.folder.utf8.count <= WireLimits.nameBytesMax } }
        if !offer.hasRoom {
            // Without a list of models any name is taken, and without one of modes none is.
            (offer.models, offer.modes) = ([], [])
            for place in offer.agents.indices { (offer.agents[place].models, offer.agents[place].modes) = ([], []) }
        }
        return offer
    }

    /// With the rest of its event, in base64url.
    private var hasRoom: Bool {
        JSONWriter.object { write(to: &$0) }.count <= (WireLimits.sealedOfferBytesMax - (1 << 10)) / 4 * 3
    }
}
