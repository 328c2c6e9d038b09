internal import RelayProtocol

/// Prompts whose pictures their host is fetching. If a picture is not there in time, the prompt is not given at all: without it the
/// prompt means something else.
struct PictureFetches {
    /// Prompts whose pictures are fetched at a time, over all sessions of one host.
    static let countMax = 8

    private var open: [SteeringName: SteeringRequest] = [:]

    enum Wish: Equatable { case nothing, fetch, refuse(String) }

    /// Returns what has to be done before this command can be given.
    mutating func begin(_ request: SteeringRequest) -> Wish {
        // A start's pictures are fetched when its session exists and is to take its first prompt.
        guard case .prompt(let prompt) = request.action, prompt.pictures.contains(where: { $0.content == nil }) else {
            return .nothing
        }
        guard open.count < Self.countMax else { return .refuse("its host fetches so many pictures already") }
        open[request.name] = request
        return .fetch
    }

    /// Nil if the pictures are not needed any more.
    mutating func end(_ name: SteeringName) -> SteeringRequest? { open.removeValue(forKey: name) }
}

/// Result of fetching all pictures of one prompt.
package enum FetchedPictures: Sendable, Equatable {
    /// The pictures' content in base64, in the order of the prompt.
    case all([String])
    /// The reason why the prompt is not given.
    case refused(String)
}

extension SteeringRequest {
    /// The request with the fetched pictures; nil if some are missing.
    func with(_ contents: [String]) -> SteeringRequest? {
        guard case .prompt(var prompt) = action, prompt.pictures.count == contents.count else { return nil }
        for (place, content) in contents.enumerated() { prompt.pictures[place].content = content }
        var request = self
        request.action = .prompt(prompt)
        return request
    }
}
