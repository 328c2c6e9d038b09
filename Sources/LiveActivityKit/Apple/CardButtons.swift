#if canImport(ActivityKit) && canImport(SwiftUI) && canImport(AppIntents) && !os(macOS) && !targetEnvironment(macCatalyst)
import AppIntents
import Foundation
import SwiftUI

/// The card's buttons. Deny and Allow run in the app's process; the others open the app.
struct CardButtons: View {
    let face: CardFace
    let choices: [CardFace.Choice]

    var body: some View {
        if let approval = face.approval {
            HStack(spacing: 8) {
                ForEach(choices, id: \.self) { button($0, approval) }
            }
            .font(.subheadline.weight(.semibold))
            .buttonStyle(.bordered)
            .lineLimit(1)
        }
    }

    @ViewBuilder private func button(
        _ choice: CardFace.Choice, _ approval: HeliographActivityAttributes.Approval
    ) -> some View {
        switch choice {
        case .deny:
            Button(intent: DenyApproval(approval: approval.id)) { label("Deny", "xmark") }
                .tint(.secondary)
                .accessibilityLabel("Deny \(approval.tool)")
        case .allow:
            Button(intent: AllowApproval(approval: approval.id)) { label("Allow", "checkmark") }
                .tint(.green)
                .accessibilityLabel("Allow \(approval.tool)")
        case .review: link("Review", "doc.text.magnifyingglass").accessibilityLabel("Review what \(approval.tool) would do")
        case .answer: link("Answer", "text.bubble").accessibilityLabel("Answer the question")
        }
    }

    /// A card without a link still opens the app when tapped.
    @ViewBuilder private func link(_ title: String, _ symbol: String) -> some View {
        if let link = face.link { Link(destination: link.url) { label(title, symbol) } }
    }

    private func label(_ title: String, _ symbol: String) -> some View {
        Label(title, systemImage: symbol).frame(maxWidth: .infinity)
    }
}
#endif
