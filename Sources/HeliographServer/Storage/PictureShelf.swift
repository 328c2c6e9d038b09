import Dispatch
import Logging
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// The pictures of prompts, off the loop: the store's reads and writes of them wait for each other and for nobody else. Lives on the core's
/// thread.
final class PictureShelf {
    /// Asked for and not answered: each may hold a picture.
    static let waitingMax = 32

    private let store: any PictureStore
    private let loop: EventLoop
    private let logger: Logger
    private let queue = DispatchQueue(label: "heliograph.pictures")
    private var waiting = 0

    init(_ store: any PictureStore, loop: EventLoop, logger: Logger) {
        self.store = store
        self.loop = loop
        self.logger = logger
    }

    /// `answer` is called once, with nil where too many ask at once, or the store fails.
    func perform<Value: Sendable>(
        _ work: @escaping @Sendable (any PictureStore) throws -> Value, then answer: @escaping (Value?) -> Void
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
                    bound.value.shelf.logger.error("the store refused a picture", metadata: ["error": "\(error)"])
                    bound.value.answer(nil)
                }
            }
        }
    }

    func find(_ pictures: [Picture], of session: SessionKey, then answer: @escaping (PictureFinding) -> Void) {
        perform {
            try $0.find(pictures, of: session)
        } then: {
            answer($0 ?? .failed("the relay's store cannot be read; try again"))
        }
    }
}
