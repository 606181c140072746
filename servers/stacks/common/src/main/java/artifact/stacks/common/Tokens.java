package artifact.stacks.common;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signed tokens: JSON Web Tokens (HS256) without a time, so that a member's token is always the same. */
final class Tokens {

    private static final SecretKeySpec KEY =
            new SecretKeySpec("a key that signs nothing of worth".getBytes(StandardCharsets.UTF_8), "HmacSHA256");

    private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();
    private static final String HEADER = TEXT.encodeToString(Json.write(Map.of("alg", "HS256")));

    private Tokens() {}

    static String of(String email) {
        String signed = HEADER + "." + TEXT.encodeToString(Json.write(Map.of("sub", email)));
        try {
            Mac mac = Mac.getInstance(KEY.getAlgorithm());
            mac.init(KEY);
            return signed + "." + TEXT.encodeToString(mac.doFinal(signed.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }
}
