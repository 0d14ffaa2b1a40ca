<?php

/** Returns whether a delivery is authentic. $body: raw bytes; $headers: values by lower-case name */
function verify_delivery(string $body, array $headers, string $secret): bool
{
    $id = $headers['webhook-id'] ?? '';
    $sent = $headers['webhook-timestamp'] ?? '';
    if (!preg_match('/\A[^.]+\z/', $id) || !preg_match('/\A[0-9]{1,12}\z/', $sent)) {
        return false;
    }
    if (abs(time() - (int) $sent) > 300) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    if ($key === '') {
        return false;
    }
    $signed = hash_hmac('sha256', $id . '.' . $sent . '.' . $body, $key, true);
    $expected = 'v1,' . base64_encode($signed);
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}

/** Handles a delivery. Call receive() in the script of the webhook URL. */
function receive(): void
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        http_response_code(405);
        return;
    }
    $length = (int) ($_SERVER['CONTENT_LENGTH'] ?? 0);
    $body = $length > 10 * 1024 * 1024 ? false : file_get_contents('php://input');
    if ($body === false || strlen($body) < $length) {
        http_response_code($body === false ? 413 : 400);
        return;
    }
    if (!verify_delivery($body, array_change_key_case(getallheaders()), getenv('WEBHOOK_SECRET'))) {
        http_response_code(401);
        return;
    }
    $delivery = json_decode($body, true);
    if (isset($delivery['encodedPayload'])) {
        $delivery = json_decode(base64_decode($delivery['encodedPayload']), true);
    }
    // Ignore a webhook-id that was already handled: deliveries may repeat.
    http_response_code(204);
}
