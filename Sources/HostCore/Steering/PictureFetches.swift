internal import RelayProtocol

/// Prompts whose pictures their host is fetching. What is not there in time is not given at all: a prompt without its picture means
/// something else.
struct PictureFetches {
    /// Sessions of one host that are shown pictures at the same moment.
    static let countMax = 8

    private var open: [SteeringName: SteeringRequest] = [:]

    enum Wish: Equatable { case nothing, fetch, refuse(String) }

    /// The action needed before this is given.
    mutating func begin(_ request: SteeringRequest) -> Wish {
        // A start's pictures are fetched when its session is there, and has its first prompt before it.
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
    /// In base64, in the order of the prompt.
    case all([String])
    /// Why it is not given.
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
