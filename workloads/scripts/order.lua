-- Orders one of an item with every request: POST of item and quantity as JSON.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"item": 7, "quantity": 1}'
