require "openssl"

# Returns whether a delivery is authentic. body: raw bytes; headers: request.headers in Rails
def verify_delivery(body, headers, secret)
  id, sent = headers["webhook-id"].to_s, headers["webhook-timestamp"].to_s
  return false unless id.match?(/\A[^.]+\z/) && sent.match?(/\A[0-9]{1,12}\z/)
  return false if (Time.now.to_i - sent.to_i).abs > 300

  key = secret.delete_prefix("whsec_").unpack1("m")
  return false if key.empty?

  signed = OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{sent}.".b + body.b)
  expected = "v1," + [signed].pack("m0")
  headers["webhook-signature"].to_s.split(" ").any? { |given| OpenSSL.secure_compare(given, expected) }
end

# In a Rails controller that skips verify_authenticity_token:
def receive
  return head(:content_too_large) if request.content_length.to_i > 10 * 1024 * 1024

  body = request.raw_post
  return head(:unauthorized) unless verify_delivery(body, request.headers, ENV.fetch("WEBHOOK_SECRET"))

  delivery = JSON.parse(body)
  delivery = JSON.parse(delivery["encodedPayload"].unpack1("m")) if delivery["encodedPayload"]
  # Ignore a webhook-id that was already handled: deliveries may repeat.
  head(:no_content)
end
