# The command in an image: docker build -t gcnsim:0.1.0 . && docker run --rm -v "$PWD:/work" gcnsim:0.1.0 scan .
FROM rust:1-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --locked --profile dist -p gcnsim -p gcnsim-preload
FROM debian:bookworm-slim
COPY --from=build /src/target/dist/gcnsim /usr/local/bin/
COPY --from=build /src/target/dist/libgcnsim_device.so /usr/local/lib/
WORKDIR /work
ENTRYPOINT ["gcnsim"]
