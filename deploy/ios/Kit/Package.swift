// swift-tools-version: 6.2
import PackageDescription

// A package of its own between the project and the repository, as XcodeGen cannot write traits: without `traits: []` the relay's
// dependencies would be fetched. An app elsewhere names the repository by its address and a version.
let package = Package(
    name: "Kit",
    platforms: [.iOS("17.2")],
    products: [.library(name: "Kit", targets: ["Kit"])],
    dependencies: [.package(name: "heliograph", path: "../../..", traits: [])],
    targets: [
        .target(
            name: "Kit",
            dependencies: [
                .product(name: "LiveActivityKit", package: "heliograph"),
                .product(name: "HeliographKit", package: "heliograph"),
            ])
    ])
