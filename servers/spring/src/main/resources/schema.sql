-- For MariaDB and H2 alike.

-- Who has signed up. As published: one row a member, the e-mail address once.
CREATE TABLE IF NOT EXISTS users (
  id BIGINT AUTO_INCREMENT PRIMARY KEY,
  email VARCHAR(255) NOT NULL UNIQUE,
  name VARCHAR(255) NOT NULL,
  password VARCHAR(255) NOT NULL
);

-- Read by /api/query-test by its primary key.
CREATE TABLE IF NOT EXISTS items (
  id INT PRIMARY KEY,
  content VARCHAR(100) NOT NULL
);
