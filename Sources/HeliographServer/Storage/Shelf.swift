import Dispatch
import Logging
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// A part of the store, used off the loop: its reads and writes wait for each other and delay nothing else. Confined to the core's
/// thread.
final class Shelf<Store: Sendable> {
    /// Limit of unanswered calls: each may hold a picture, or a page of requests.
    private static var waitingMax: Int { 32 }

    private let store: Store
    private let loop: EventLoop
    private let logger: Logger
    private let queue: DispatchQueue
    private var waiting = 0

    /// `name`: the kind of its content.
    init(_ store: Store, name: String, loop: EventLoop, logger: Logger) {
        self.store = store
        queue = DispatchQueue(label: "heliograph.\(name)")
        self.loop = loop
        self.logger = logger
    }

    /// `answer` is called once, with nil if there are too many calls at once, or the store fails.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable (Store) throws -> Value, then answer: @escaping (Value?) -> Void
    ) {
        guard waiting < Self.waitingMax else { return answer(nil) }
        waiting += 1
        let bound = LoopBound((shelf: self, answer: answer), loop: loop)
        let (store, handle) = (store, loop.handle)
        queue.async {
            let result = Result { try work(store) }
            handle.execute {
                bound.value.shelf.waiting -= 1
                switch result {
                case .success(let value): bound.value.answer(value)
                case .failure(let error):
                    bound.value.shelf.logger.error("the store refused a request", metadata: ["error": "\(error)"])
                    bound.value.answer(nil)
                }
            }
        }
    }
}

typealias PictureShelf = Shelf<any PictureStore>

extension PictureShelf {
    func find(_ pictures: [Picture], of session: SessionKey, then answer: @escaping (PictureFinding) -> Void) {
        perform {
            try $0.find(pictures, of: session)
        } then: {
            answer($0 ?? .failed("the relay's store cannot be read; try again"))
        }
    }
}
