internal import RelayProtocol

extension SteeringOffer {
    /// The offer of a host that seals, cut to what the wire accepts sealed.
    var sealable: SteeringOffer {
        var offer = self
        offer.seals = true
        if !offer.hasRoom { offer.rules = nil }
        if !offer.hasRoom { offer.commands = [] }
        if !offer.hasRoom { offer.projects = offer.projects?.filter { $0.folder.utf8.count <= WireLimits.nameBytesMax } }
        if !offer.hasRoom {
            // Without a list of models any name is accepted; without one of modes none is.
            (offer.models, offer.modes) = ([], [])
            for place in offer.agents.indices { (offer.agents[place].models, offer.agents[place].modes) = ([], []) }
        }
        return offer
    }

    /// True if the offer fits into its event beside the rest, in base64url.
    private var hasRoom: Bool {
        JSONWriter.object { write(to: &$0) }.count <= (WireLimits.sealedOfferBytesMax - (1 << 10)) / 4 * 3
    }
}
