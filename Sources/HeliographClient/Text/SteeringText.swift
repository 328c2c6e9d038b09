internal import RelayProtocol

/// Steering commands in a person's words.
enum SteeringText {
    static func word(of stage: SteeringStage) -> String {
        switch stage {
        case .queued: "waits until the agent is free"
        case .given: "given to the agent"
        case .taken: "the agent took it"
        case .refused: "not taken"
        case .withdrawn: "taken back"
        case .unknown: "nobody knows whether the agent took it"
        }
    }

    static func actions(of offer: SteeringOffer) -> String {
        let words = SteeringAction.Kind.allCases.filter(offer.actions.contains).map(\.rawValue)
        return (words.isEmpty ? "not at all" : words.joined(separator: ", "))
            + (offer.asksAll ? "; every tool is asked for" : "")
    }
}
