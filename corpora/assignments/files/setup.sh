apt-get update && apt-get install --no-install-recommends --yes python3 gcc libc6-dev bubblewrap
