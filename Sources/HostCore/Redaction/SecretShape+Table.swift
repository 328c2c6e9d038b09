extension SecretShape {
    /// Shapes that the issuers document, and that gitleaks, trufflehog and detect-secrets look for. The tests generate, find and
    /// spoil one of each.
    static let table: [SecretShape] =
        clouds + forges + registries + messengers + payment + models + infrastructure + observability + products

    private static let clouds = [
        SecretShape("AKIA", .alphanumeric, 16), SecretShape("ASIA", .alphanumeric, 16), SecretShape("ABIA", .alphanumeric, 16),
        SecretShape("ACCA", .alphanumeric, 16), SecretShape("AIza", .url, 35), SecretShape("ya29.", .dotted, 20),
        SecretShape("GOCSPX-", .url, 20), SecretShape("1//0", .url, 30), SecretShape("LTAI", .alphanumeric, 16),
        SecretShape("dop_v1_", .alphanumeric, 40), SecretShape("doo_v1_", .alphanumeric, 40),
        SecretShape("dor_v1_", .alphanumeric, 40),
        SecretShape("FwoGZXIvYXdz", .any, 60), SecretShape("IQoJb3JpZ2lu", .any, 60), SecretShape("v1.0-", .url, 140),
        SecretShape("HRKU-", .url, 36), SecretShape("fo1_", .url, 40), SecretShape("fm1r_", .any, 60),
        SecretShape("fm2_", .any, 60),
        SecretShape("YCAJE", .url, 20), SecretShape("AQVN", .url, 35), SecretShape("nfp_", .alphanumeric, 36),
        SecretShape("vcp_", .alphanumeric, 24), SecretShape("tk-us-", .url, 48), SecretShape("sbp_", .hexadecimal, 40),
        SecretShape("sb_secret_", .url, 20), SecretShape("pscale_tkn_", .dotted, 32), SecretShape("pscale_pw_", .dotted, 32),
        SecretShape("pscale_oauth_", .dotted, 32), SecretShape("CCDB1_", .url, 30), SecretShape("dapi", .hexadecimal, 32),
    ]
    private static let forges = [
        SecretShape("ghp_", .alphanumeric, 30), SecretShape("gho_", .alphanumeric, 30), SecretShape("ghu_", .alphanumeric, 30),
        SecretShape("ghs_", .dotted, 30), SecretShape("ghr_", .alphanumeric, 30), SecretShape("github_pat_", .word, 22),
        SecretShape("glpat-", .dotted, 20), SecretShape("gldt-", .dotted, 20), SecretShape("glrt-", .dotted, 20),
        SecretShape("glcbt-", .dotted, 20), SecretShape("glptt-", .dotted, 20), SecretShape("glft-", .dotted, 20),
        SecretShape("gloas-", .dotted, 20), SecretShape("glagent-", .dotted, 20), SecretShape("glsoat-", .dotted, 20),
        SecretShape("glimt-", .dotted, 20), SecretShape("glffct-", .dotted, 20), SecretShape("GR1348941", .url, 20),
        SecretShape("ATATT3", .any, 60), SecretShape("ATCTT3", .any, 60), SecretShape("ATBB", .alphanumeric, 28),
        SecretShape("CCIPAT_", .word, 40), SecretShape("bkua_", .alphanumeric, 40), SecretShape("squ_", .hexadecimal, 40),
        SecretShape("sqp_", .hexadecimal, 40), SecretShape("sqa_", .hexadecimal, 40), SecretShape("sgp_", .word, 40),
    ]
    private static let registries = [
        SecretShape("npm_", .alphanumeric, 30), SecretShape("pypi-", .url, 50), SecretShape("rubygems_", .alphanumeric, 40),
        SecretShape("dckr_pat_", .url, 20), SecretShape("dckr_oat_", .url, 20), SecretShape("AKCp", .alphanumeric, 60),
        SecretShape("oy2", .alphanumeric, 43), SecretShape("CLOJARS_", .alphanumeric, 60),
        SecretShape("cio", .alphanumeric, 32),
        SecretShape("PMAK-", .url, 50), SecretShape("API-", .alphanumeric, 26), SecretShape("hf_", .alphanumeric, 30),
        SecretShape("api_org_", .alphanumeric, 30),
    ]
    private static let messengers = [
        SecretShape("xoxb-", .dotted, 10), SecretShape("xoxp-", .dotted, 10), SecretShape("xoxa-", .dotted, 10),
        SecretShape("xoxr-", .dotted, 10), SecretShape("xoxs-", .dotted, 10), SecretShape("xoxe-", .dotted, 10),
        SecretShape("xoxe.", .dotted, 10), SecretShape("xoxc-", .dotted, 10), SecretShape("xoxd-", .any, 10),
        SecretShape("xapp-", .dotted, 10), SecretShape("xwfp-", .dotted, 20), SecretShape("SG.", .dotted, 40),
        SecretShape("xkeysib-", .url, 64), SecretShape("xsmtpsib-", .url, 64),
        SecretShape("EAA", .alphanumeric, 100), SecretShape("syt_", .word, 30), SecretShape("secret_", .alphanumeric, 43),
        SecretShape("ntn_", .alphanumeric, 40), SecretShape("lin_api_", .alphanumeric, 30),
        SecretShape("lin_oauth_", .alphanumeric, 30),
    ]
    private static let payment = [
        SecretShape("sk_live_", .alphanumeric, 16), SecretShape("sk_test_", .alphanumeric, 16),
        SecretShape("rk_live_", .alphanumeric, 16), SecretShape("rk_test_", .alphanumeric, 16),
        SecretShape("whsec_", .any, 16), SecretShape("shpat_", .alphanumeric, 32), SecretShape("shpss_", .alphanumeric, 32),
        SecretShape("shpca_", .alphanumeric, 32), SecretShape("shppa_", .alphanumeric, 32), SecretShape("sq0atp-", .url, 22),
        SecretShape("sq0csp-", .url, 40), SecretShape("EAAAE", .url, 50), SecretShape("FLWSECK", .url, 32),
        SecretShape("EZAK", .alphanumeric, 54), SecretShape("EZTK", .alphanumeric, 54), SecretShape("duffel_live_", .url, 40),
        SecretShape("duffel_test_", .url, 40), SecretShape("shippo_live_", .hexadecimal, 40),
        SecretShape("shippo_test_", .hexadecimal, 40),
        SecretShape("access-production-", .url, 36), SecretShape("access-sandbox-", .url, 36),
    ]
    private static let models = [
        SecretShape("sk-", .dotted, 20), SecretShape("xai-", .url, 30), SecretShape("gsk_", .alphanumeric, 30),
        SecretShape("pplx-", .alphanumeric, 40), SecretShape("r8_", .alphanumeric, 30), SecretShape("sess-", .alphanumeric, 40),
    ]
    private static let infrastructure = [
        SecretShape("hvs.", .dotted, 24), SecretShape("hvb.", .dotted, 24), SecretShape("hvr.", .dotted, 24),
        SecretShape("AGE-SECRET-KEY-1", .alphanumeric, 50), SecretShape("ops_eyJ", .any, 100), SecretShape("A3-", .url, 30),
        SecretShape("tskey-", .url, 20), SecretShape("dp.pt.", .dotted, 40), SecretShape("dp.st.", .dotted, 40),
        SecretShape("dp.ct.", .dotted, 40), SecretShape("dp.sa.", .dotted, 40), SecretShape("dp.scim.", .dotted, 40),
        SecretShape("dp.audit.", .dotted, 40), SecretShape("pul-", .hexadecimal, 40), SecretShape("pnu_", .alphanumeric, 36),
        SecretShape("sha256~", .url, 40), SecretShape("dnkey-", .url, 60), SecretShape("K10", .any, 64),
        SecretShape("kubeconfig-u-", .any, 54),
    ]
    private static let observability = [
        SecretShape("glsa_", .word, 30), SecretShape("glc_", .any, 32), SecretShape("NRAK-", .alphanumeric, 27),
        SecretShape("NRII-", .url, 32), SecretShape("NRJS-", .alphanumeric, 19), SecretShape("sntrys_", .any, 40),
        SecretShape("sntryu_", .hexadecimal, 60), SecretShape("dt0c01.", .dotted, 60), SecretShape("ddp_", .alphanumeric, 36),
        SecretShape("phx_", .alphanumeric, 40), SecretShape("ico-", .alphanumeric, 32),
    ]
    private static let products = [
        SecretShape("figd_", .url, 40), SecretShape("tfp_", .dotted, 50), SecretShape("rdme_", .alphanumeric, 60),
        SecretShape("p8e-", .alphanumeric, 32), SecretShape("sm_pat_", .alphanumeric, 16),
        SecretShape("sm_aat_", .alphanumeric, 16),
        SecretShape("fio-u-", .url, 60), SecretShape("s-s4t2ud-", .hexadecimal, 60), SecretShape("s-s4t2af-", .hexadecimal, 60),
        SecretShape("sk.eyJ", .dotted, 60), SecretShape("CFPAT-", .url, 40),
    ]
}
