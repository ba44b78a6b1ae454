# Packages a release's archive for Nix: `nix-build -E '(import <nixpkgs> {}).callPackage ./package.nix { src = ./ARCHIVE.tar.gz; }'`.
# The hub's unit is used by `systemd.packages = [ statehub ];`.
{ lib, stdenv, autoPatchelfHook, src }:

stdenv.mkDerivation {
  pname = "statehub";
  version = "0.1.0";
  inherit src;

  # The hub is linked to glibc only; statectl is static.
  nativeBuildInputs = [ autoPatchelfHook ];
  dontBuild = true;
  dontStrip = true;

  installPhase = ''
    mkdir -p $out
    cp -a . $out
    substituteInPlace $out/lib/systemd/*/*.service --replace-quiet /usr/bin/ $out/bin/
  '';

  meta = {
    description = "Shared named values for the processes of a machine";
    license = lib.licenses.asl20;
    platforms = lib.platforms.linux;
    mainProgram = "statectl";
  };
}
