#if canImport(ActivityKit) && canImport(SwiftUI) && canImport(AppIntents) && !os(macOS) && !targetEnvironment(macCatalyst)
import AppIntents
import Foundation
import SwiftUI

/// The card's buttons. Deny and Allow run in the app's process; the others open the app.
struct CardButtons: View {
    let face: CardFace
    let choices: [CardFace.Choice]
    private let words = KitLanguage.words()

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
            Button(intent: DenyApproval(approval: approval.id)) { label(.deny) }
                .tint(.secondary)
                .accessibilityLabel(words.deny(approval.tool))
        case .allow:
            Button(intent: AllowApproval(approval: approval.id)) { label(.allow) }
                .tint(.green)
                .accessibilityLabel(words.allow(approval.tool))
        case .review: link(.review).accessibilityLabel(words.review(approval.tool))
        case .answer: link(.answer).accessibilityLabel(words.answerQuestion)
        }
    }

    /// A card without a link still opens the app when tapped.
    @ViewBuilder private func link(_ action: AlertAction) -> some View {
        if let link = face.link { Link(destination: link.url) { label(action) } }
    }

    private func label(_ action: AlertAction) -> some View {
        Label(action.title, systemImage: action.symbol).frame(maxWidth: .infinity)
    }
}
#endif
