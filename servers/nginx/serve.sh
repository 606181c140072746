#!/usr/bin/env bash
# serve.sh PORT: nginx answers what the stacks answer to /ping and /plain, as the floor of their study.
# It runs in the foreground, with a worker for each CPU that it may use, and writes below TMPDIR alone.
set -euo pipefail
port=$1
[[ $port =~ ^[0-9]+$ ]]
root=$(cd "$(dirname "$0")/../.." && pwd)

cat >"$TMPDIR/nginx.conf" <<END
daemon off;
worker_processes $(nproc);
pid nginx.pid;
error_log stderr;
events { worker_connections 10000; }
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  # The limits of the stacks.
  keepalive_timeout 300;
  keepalive_requests 1000000000;
  server {
    listen 127.0.0.1:$port backlog=4096;
    location = /ping { default_type 'text/plain;charset=utf-8'; return 200 'OK'; }
    location = /plain { default_type application/json; return 200 '{"name":"stacks","version":1,"stable":true}'; }
  }
}
END
exec "$root/.tools/nginx/usr/sbin/nginx" -p "$TMPDIR/" -c "$TMPDIR/nginx.conf"
