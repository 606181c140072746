-- Signs up the same member with every request, as the source did: with a UNIQUE e-mail in the
-- database every request but the first must fail.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"name": "kim", "email": "abc@mail.com", "password": "pasword1234"}'
