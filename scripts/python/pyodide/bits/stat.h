/* As Pyodide's C library has it; the one of Debian's headers is that of earlier versions of Emscripten. */
struct stat {
    dev_t st_dev;
    mode_t st_mode;
    nlink_t st_nlink;
    uid_t st_uid;
    gid_t st_gid;
    dev_t st_rdev;
    off_t st_size;
    blksize_t st_blksize;
    blkcnt_t st_blocks;
    struct timespec st_atim, st_mtim, st_ctim;
    ino_t st_ino;
};
