import CausewayCommandLine
import Testing

@Suite struct TransferProgressTests {
    @Test func showsRateAndRemainingTime() {
        let start = ContinuousClock.now
        let progress = TransferProgress(total: 10_000_000, now: start)
        #expect(
            progress.line("uploading", at: 0, now: start)
                == "uploading [                    ]   0 %  0 bytes of 10.0 MB")
        #expect(progress.line("uploading", at: 500, now: start + .milliseconds(50)) == nil, "too soon")
        #expect(
            progress.line("uploading", at: 2_500_000, now: start + .seconds(5))
                == "uploading [#####               ]  25 %  2.5 MB of 10.0 MB, 500.0 kB/s, 15 s left")
        // The rate is that of the last seconds.
        #expect(
            progress.line("uploading", at: 2_600_000, now: start + .seconds(15))
                == "uploading [#####               ]  26 %  2.6 MB of 10.0 MB, 10.0 kB/s, 12 min 20 s left")
        #expect(
            progress.line("uploading", at: 10_000_000, now: start + .seconds(16))?.hasSuffix(
                "100 %  10.0 MB of 10.0 MB")
                == false)
    }

    @Test func bytesAreReadable() {
        let rows: [(Int64, String)] = [
            (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (999_949, "999.9 kB"),
            (999_950, "1.0 MB"), (1_500_000_000, "1.5 GB"), (64 << 40, "70.4 TB"),
        ]
        for (bytes, text) in rows { #expect(ByteText.text(bytes) == text) }
    }
}
