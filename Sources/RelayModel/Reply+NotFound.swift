package import RelayProtocol

extension Reply {
    package static let noSuchSession = Reply.failed(.notFound, "there is no such session")
}
