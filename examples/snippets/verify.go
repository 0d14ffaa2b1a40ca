package main

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
	id, sent := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseUint(sent, 10, 40)
	if err != nil || id == "" || strings.Contains(id, ".") {
		return false
	}
	if age := time.Now().Unix() - int64(seconds); age > 300 || age < -300 {
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
	for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(given), expected) {
			return true
		}
	}
	return false
}

// Receive handles deliveries. Register it with http.HandleFunc("/hook", Receive).
func Receive(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 10<<20))
	if err != nil {
		http.Error(w, "the body is too long or incomplete", http.StatusBadRequest)
		return
	}
	if !VerifyDelivery(body, r.Header, os.Getenv("WEBHOOK_SECRET")) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	// Parse the body as JSON. With encodeData, the payload is base64 in encodedPayload.
	// Ignore a webhook-id that was already handled: deliveries may repeat.
	w.WriteHeader(http.StatusNoContent)
}
