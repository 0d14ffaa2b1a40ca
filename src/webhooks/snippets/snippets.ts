import { SIGNATURE_HEADERS } from '../form.ts';
import { TIMESTAMP_TOLERANCE } from '../signature.ts';
import type { SnippetLanguage } from './languages.ts';

const { id, timestamp, signature } = SIGNATURE_HEADERS;

/** Code that verifies deliveries in a receiver, without a library: one function, and how to call it in a web framework. */
export const SNIPPETS: Readonly<Record<SnippetLanguage, string>> = {
  node: String.raw`import { createHmac, timingSafeEqual } from 'node:crypto';

// Returns whether a delivery is authentic. body: raw bytes, before any parser; headers: request.headers
export function verifyDelivery(body, headers, secret) {
  const { '${id}': id = '', '${timestamp}': time, '${signature}': given = '' } = headers;
  if (!/^[^.]+$/.test(id) || !/^\d{1,12}$/.test(time)) return false;
  if (Math.abs(Date.now() / 1000 - time) > ${TIMESTAMP_TOLERANCE}) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  if (key.length === 0) return false;
  const hmac = createHmac('sha256', key).update(id + '.' + time + '.').update(body);
  const expected = Buffer.from('v1,' + hmac.digest('base64'));
  return given.split(' ').map((one) => Buffer.from(one)).some(
    (one) => one.length === expected.length && timingSafeEqual(one, expected));
}

// In Express, as app.post('/hook', express.raw({ type: '*/*' }), receive):
export function receive(request, response) {
  if (!verifyDelivery(request.body, request.headers, process.env.WEBHOOK_SECRET)) return response.sendStatus(401);
  const { event, data } = JSON.parse(request.body);
  // Ignore a ${id} that was already handled, because deliveries may repeat.
  response.sendStatus(204);
}
`,
  python: `import base64, hmac, json, os, re, time

# Returns whether a delivery is authentic. body: raw bytes; headers: a case-insensitive mapping
def verify_delivery(body, headers, secret):
    id, sent = headers.get("${id}", ""), headers.get("${timestamp}", "")
    if not re.fullmatch(r"[^.]+", id) or not re.fullmatch(r"[0-9]{1,12}", sent):
        return False
    if abs(time.time() - int(sent)) > ${TIMESTAMP_TOLERANCE}:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    if not key:
        return False
    signed = hmac.digest(key, f"{id}.{sent}.".encode() + body, "sha256")
    expected = b"v1," + base64.b64encode(signed)
    given = headers.get("${signature}", "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected) for one in given)

# In Flask, as app.post("/hook")(lambda: receive(request)):
def receive(request):
    body = request.get_data()
    if not verify_delivery(body, request.headers, os.environ["WEBHOOK_SECRET"]):
        return "", 401
    delivery = json.loads(body)
    # Ignore a ${id} that was already handled, because deliveries may repeat.
    return "", 204
`,
  go: `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// VerifyDelivery reports whether a delivery is authentic. The body must be the raw bytes of the request.
func VerifyDelivery(body []byte, header http.Header, secret string) bool {
	id, sent := header.Get("${id}"), header.Get("${timestamp}")
	seconds, err := strconv.ParseUint(sent, 10, 40)
	if err != nil || id == "" || strings.Contains(id, ".") {
		return false
	}
	if age := time.Now().Unix() - int64(seconds); age > ${TIMESTAMP_TOLERANCE} || age < -${TIMESTAMP_TOLERANCE} {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + sent + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, given := range strings.Split(header.Get("${signature}"), " ") {
		if hmac.Equal([]byte(given), expected) {
			return true
		}
	}
	return false
}

// Receive handles deliveries. Register it with http.HandleFunc("/hook", Receive).
func Receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 10<<20))
	if err != nil {
		http.Error(w, "cannot read the body", http.StatusBadRequest)
		return
	}
	if !VerifyDelivery(body, r.Header, os.Getenv("WEBHOOK_SECRET")) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	// Ignore a ${id} that was already handled, because deliveries may repeat.
	w.WriteHeader(http.StatusNoContent)
}
`,
  ruby: String.raw`require "openssl"

# Returns whether a delivery is authentic. body: raw bytes; headers: request.headers in Rails
def verify_delivery(body, headers, secret)
  id, sent = headers["${id}"].to_s, headers["${timestamp}"].to_s
  return false unless id.match?(/\A[^.]+\z/) && sent.match?(/\A[0-9]{1,12}\z/)
  return false if (Time.now.to_i - sent.to_i).abs > ${TIMESTAMP_TOLERANCE}

  key = secret.delete_prefix("whsec_").unpack1("m")
  return false if key.empty?

  signed = OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{sent}.".b + body.b)
  expected = "v1," + [signed].pack("m0")
  headers["${signature}"].to_s.split(" ").any? { |given| OpenSSL.secure_compare(given, expected) }
end

# In a Rails controller that skips verify_authenticity_token:
def receive
  body = request.raw_post
  return head(:unauthorized) unless verify_delivery(body, request.headers, ENV.fetch("WEBHOOK_SECRET"))

  delivery = JSON.parse(body)
  # Ignore a ${id} that was already handled, because deliveries may repeat.
  head(:no_content)
end
`,
  php: String.raw`<?php

/** Returns whether a delivery is authentic. $body: raw bytes; $headers: values by lower-case name */
function verify_delivery(string $body, array $headers, string $secret): bool
{
    $id = $headers['${id}'] ?? '';
    $sent = $headers['${timestamp}'] ?? '';
    if (!preg_match('/\A[^.]+\z/', $id) || !preg_match('/\A[0-9]{1,12}\z/', $sent)) {
        return false;
    }
    if (abs(time() - (int) $sent) > ${TIMESTAMP_TOLERANCE}) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    if ($key === '') {
        return false;
    }
    $signed = hash_hmac('sha256', $id . '.' . $sent . '.' . $body, $key, true);
    $expected = 'v1,' . base64_encode($signed);
    foreach (explode(' ', $headers['${signature}'] ?? '') as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}

/** Handles a delivery. Call receive() in the script of the webhook URL. */
function receive(): void
{
    $body = file_get_contents('php://input');
    if (!verify_delivery($body, array_change_key_case(getallheaders()), getenv('WEBHOOK_SECRET'))) {
        http_response_code(401);
        return;
    }
    $delivery = json_decode($body, true);
    // Ignore a ${id} that was already handled, because deliveries may repeat.
    http_response_code(204);
}
`,
};
