internal import Foundation
internal import HeliographLink
internal import LiveActivityKit
internal import RelayProtocol

/// Asks the relay once for an approval, as the app would, but does not count as a person who is looking.
struct ApprovalLookup: Sendable {
    /// Time for the lookup. An extension, or an app that was woken for a button, has 30 s, of which the decision itself may take
    /// most.
    static let within = Duration.seconds(6)

    struct Found: Sendable {
        let approval: Approval
        let summary: Summary?
    }

    let address: URL
    let credentials: any RelayCredentials
    let transport: any RelayTransport

    /// Nil if the approval is no longer pending, or the relay did not answer.
    func find(_ approval: String) async -> Found? {
        await withTaskGroup { group in
            group.addTask { await asked(approval) }
            group.addTask {
                try? await Task.sleep(for: Self.within)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    private func asked(_ approval: String) async -> Found? {
        let random = String(UInt64.random(in: .min ... .max), radix: 36)
        var link = RelayLink(software: "heliograph-kit/1", idPrefix: "l" + random)
        do {
            let socket = try await transport.open(
                address, subprotocol: ProtocolVersion.subprotocol, token: try credentials.token(),
                messageBytesMax: RelayClient.messageBytesMax)
            defer { socket.close() }
            return try await withTaskCancellationHandler {
                _ = link.started()
                var orders = link.opened()
                while !link.view.isWorkspaceKnown {
                    for case .send(let bytes) in orders { try await socket.send(Data(bytes)) }
                    orders = link.received([UInt8](try await socket.receive()))
                }
                let found = link.view.pendingApprovals.first { $0.id.rawValue == approval }
                return found.map { Found(approval: $0, summary: link.view.sessions[$0.session]) }
            } onCancel: {
                socket.close()
            }
        } catch { return nil }
    }
}
